-- mutex-tell: sends a client a message of itself or of another one.
--
-- KEYS[1]  any key  with the lock prefix; only says from which server of a cluster
-- ARGV[1]  channel  of the client
-- ARGV[2]  message  its kind and its words
--
-- Returns  { 1 if it was sent, 0 if that is not allowed }
-- Repeat   safe: a message that comes twice does no harm
-- Clock    none
local channel, message = ARGV[1], ARGV[2]

local sent = redis.pcall('PUBLISH', channel, '2 ' .. message)
return { type(sent) == 'number' and 1 or 0 }
