-- mutex-echo: sends a client a message of itself, by which it knows that messages arrive.
--
-- KEYS[1]  any key  with the lock prefix; only says from which server of a cluster
-- ARGV[1]  channel  of the client
--
-- Returns  { 1 if it was sent, 0 if that is not allowed }
-- Repeat   safe: a message that comes twice does no harm
-- Clock    none
local sent = redis.pcall('PUBLISH', ARGV[1], '2 echo ')
return { type(sent) == 'number' and 1 or 0 }
