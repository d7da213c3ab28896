-- start-up-commands: calls every command that the scripts of locks call. An error tells that
-- the user lacks a right, or that this is no Redis.
--
-- KEYS[1]  hash that holds no lock; it has one field for a minute
-- ARGV[1]  channel that clients may have
-- ARGV[2+] names of commands that need no arguments
--
-- Repeat   safe
local key, channel = KEYS[1], ARGV[1]
-- First, so that a user who lacks only this right leaves no key for ever.
redis.call('PEXPIRE', key, 60000)
redis.call('TIME')
redis.call('HSET', key, 'check', '1')
redis.call('PEXPIRE', key, 60000)
redis.call('HGET', key, 'check')
redis.call('HMGET', key, 'check')
redis.call('HGETALL', key)
redis.call('HDEL', key, 'other')
redis.call('SCAN', '0', 'COUNT', '1')
redis.call('PUBLISH', channel, 'echo')
for i = 2, #ARGV do
	redis.call(ARGV[i])
end
return redis.call('HLEN', key)
