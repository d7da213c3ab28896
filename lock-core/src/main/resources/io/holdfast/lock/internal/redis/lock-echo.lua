-- lock-echo: sends a client a message of itself, by which it knows that messages arrive.
--
-- KEYS[1]  any key  with the lock prefix; only says from which server of a cluster
-- ARGV[1]  publish  the command that sends a message
-- ARGV[2]  channel  of the client
-- ARGV[3]  number   of the message
--
-- Returns  { 'OK' if it was sent, else why not }
-- Repeat   safe: a message that comes twice does no harm
-- Clock    none
local sent = redis.pcall(ARGV[1], ARGV[2], '3 echo ' .. ARGV[3])
return { type(sent) == 'table' and sent.err or 'OK' }
