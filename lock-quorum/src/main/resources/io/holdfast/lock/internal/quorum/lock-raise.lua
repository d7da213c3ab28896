-- lock-raise: raises the fencing tokens of a hold to those that its quorum agreed upon, so that
-- every later grant of any majority has a larger one.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  id         as given to lock-vote
-- ARGV[2]  token      token of the hold at least
-- ARGV[3]  last       last token of the hold at least
-- ARGV[4]  settings   as for lock-vote
--
-- Returns  '<id> <now> <standing>' (see lock.lua); NONE if the request does not hold
-- Repeat   safe
-- Memory   passes when memory is full: the first write is PEXPIRE
-- Clock    the server's only
-- Called by  QuorumScripts.raise
local id, token, last = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
--#include lock-quorum.lua

local lock, problem = read(KEYS[1])
if not lock then
  return problem
end
purge(lock)
if has(lock, id) then
  raise(lock, token, last)
end
return settle(lock) or id .. ' ' .. whole(now) .. ' ' .. standing(lock, id)
