-- start-up-check: calls what the scripts of locks call beside that which takes a lock that
-- nobody waits for, and changes nothing. An error tells that the user lacks a right.
--
-- KEYS[1]  key of a lock
-- ARGV[1]  channel that clients may have
redis.call('HGET', KEYS[1], 'hold')
redis.call('HLEN', KEYS[1])
redis.call('SCAN', '0', 'COUNT', '1')
redis.call('PUBLISH', ARGV[1], 'echo')
