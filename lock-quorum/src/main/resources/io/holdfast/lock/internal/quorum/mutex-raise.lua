-- mutex-raise: raises the fencing tokens of a hold to those that its quorum agreed upon, so that
-- every later grant of any majority has a larger one.
--
-- KEYS[1]  lock hash   <prefix>lock:<name>
-- ARGV[1]  timeout     milliseconds that a waiter's place lasts without renewal
-- ARGV[2]  retention   milliseconds that the key outlives its use
-- ARGV[3]  channels    prefix of the clients' channels
-- ARGV[4]  request id  as given to mutex-vote
-- ARGV[5]  token       token of the hold at least
-- ARGV[6]  last        last token of the hold at least
--
-- Returns  '<id> <now> <standing>' (see mutex.lua); NONE if the request does not hold
-- Repeat   safe
-- Memory   passes when memory is full: the first write is PEXPIRE
-- Clock    the server's only
local key, timeout, retention, channels = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local id, token, last = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
--#include mutex.lua
--#include mutex-quorum.lua

local lock, problem = read(key)
if not lock then
  return problem
end
if lock.id == id and is_held(lock) then
  raise(lock, token, last)
  write(lock, true)
end
return id .. ' ' .. whole(now) .. ' ' .. standing(lock, id)
