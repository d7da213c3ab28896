-- mutex-vote: grants a lock on one of the servers of a quorum, if it is free here. Nobody waits
-- in a queue: the queues of several servers would not agree.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  client     application@host/random
-- ARGV[2]  timeout    milliseconds that a waiter's place lasts without renewal
-- ARGV[3]  retention  milliseconds that the key outlives its use
-- ARGV[4]  channels   prefix of the clients' channels
-- ARGV[5]  request    id, new for every attempt
-- ARGV[6]  block      how many fencing tokens the client wants at most, >= 1
-- ARGV[7]  lease      milliseconds, > 0
-- ARGV[8]  guard      seconds that a server which was started does not vote, because it may have
--                     forgotten holds; 0 if none forgets
-- ARGV[9]  not after  server time in milliseconds after which nothing new may be done
--
-- Returns  as mutex-acquire-step, after NONE followed by the id of the request that holds;
--          '<id> <now> STARTING <milliseconds left> 0 0 0 0' within the guard
-- Repeat   safe
-- Memory   refused when memory is full, with nothing changed
-- Clock    the server's only
-- Called by  QuorumScripts.vote
local client, timeout, retention, channels = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local key, id, block, lease = KEYS[1], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local guard, not_after = tonumber(ARGV[8]), tonumber(ARGV[9])
--#include mutex.lua
--#include mutex-quorum.lua
--#include mutex-acquire-step.lua

local wait = starting(guard)
if wait then
  return id .. ' ' .. whole(now) .. ' STARTING ' .. whole(wait) .. ' 0 0 0 0'
end
local lock, problem = read(key)
if not lock then
  return problem
end
local answer = acquire(lock, id, 'xr', client, lease, block, false, not_after)
if lock.changed then
  write(lock, lock.known)
elseif string.find(answer, ' NONE ', 1, true) then
  local _, holder = owner_of(lock)
  redis.pcall('PUBLISH', channels .. holder, '2 awaited ' .. lock.id .. ' ' .. key)
  answer = answer .. ' ' .. lock.id
end
return answer
