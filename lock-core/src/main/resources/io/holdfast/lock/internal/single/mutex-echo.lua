-- mutex-echo: sends a client a message that says nothing, to show that messages arrive.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>; only says from which server of a cluster
-- ARGV[1]  channel    of the client
--
-- Returns  { 1 if it was sent, 0 if that is not allowed }
-- Repeat   safe
-- Clock    none
local channel = ARGV[1]

local sent = redis.pcall('PUBLISH', channel, '2 echo ')
return { type(sent) == 'number' and 1 or 0 }
