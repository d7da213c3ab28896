-- lock-vote: grants a lock on one of the servers of a quorum, if it is free here. Nobody waits
-- in a queue: the queues of several servers would not agree.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  id         of the request, new for every attempt
-- ARGV[2]  client     application@host/random
-- ARGV[3]  wish       as for lock-requests, exclusive and without callers
-- ARGV[4]  guard      seconds that a server which was started does not vote, because it may have
--                     forgotten holds; 0 if none forgets
-- ARGV[5]  settings   '<timeout> <retention> <publish> <channels>'
--
-- Returns  as lock-acquire-step, after NONE followed by the id of the request that holds;
--          '<id> <now> STARTING' within the guard
-- Repeat   safe
-- Memory   refused when memory is full and the key is new, with nothing changed
-- Clock    the server's only
-- Called by  QuorumScripts.vote
local id, client, guard = ARGV[1], ARGV[2], tonumber(ARGV[4])
--#include lock-quorum.lua
--#include lock-acquire-step.lua

if starting(guard) then return id .. ' ' .. whole(now) .. ' STARTING' end
local lock, problem = read(KEYS[1])
if not lock then return problem end
local answer = acquire(lock, id, wish_of(client, string.match(ARGV[3], WISH)))
if lock.kind == 'x' and string.find(answer, ' NONE ', 1, true) then
  -- At once: the lock is not changed, so there is nothing to settle.
  redis.pcall(publish, channels .. lock.members[lock.id].client, '3 awaited ' .. lock.id .. ' ' .. lock.key)
  answer = answer .. ' ' .. lock.id
end
return settle(lock) or answer
