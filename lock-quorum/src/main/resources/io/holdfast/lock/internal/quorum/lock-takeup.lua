-- lock-takeup: has one of the servers of a quorum take up a hold that a majority knows and that it
-- lacks, together with its fencing tokens. What another request holds here it leaves alone.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  id         as given to lock-vote
-- ARGV[2]  client     application@host/random
-- ARGV[3]  lease      milliseconds, > 0
-- ARGV[4]  token      token of the hold at least
-- ARGV[5]  last       last token of the hold at least
-- ARGV[6]  guard      as for lock-vote
-- ARGV[7]  not after  server time in milliseconds after which nothing new may be done
-- ARGV[8]  settings   as for lock-vote
--
-- Returns  '<id> <now> <standing>' (see lock.lua); '<id> <now> STARTING <milliseconds left>' within
--          the guard
-- Repeat   safe: a hold that was released here is not taken up again
-- Memory   refused when memory is full, with nothing changed, unless the key was here before
-- Clock    the server's only
-- Called by  QuorumScripts.takeUp
local id, client, lease = ARGV[1], ARGV[2], tonumber(ARGV[3])
local token, last, guard, not_after = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
--#include lock-quorum.lua

local not_yet = starting(id, guard)
if not_yet then
  return not_yet
end
local lock, problem = read(KEYS[1])
if not lock then
  return problem
end
local known = lock.kind == 'x' and lock.id == id
if (not lock.kind or lock.due <= now) and now <= not_after and not was_released(lock, id, 0) then
  if known then
    -- It ran out here while a majority kept it.
    lock.members[id].ends, lock.due = now + lease, now + lease
    put(lock, id, lock.members[id])
  else
    purge(lock)
    -- Not a new grant, so it gets no new token.
    local kept = math.max(lock.last, token)
    grant(lock, id, { mode = 'xr', units = 1, limit = 1, block = 1, client = client }, lease)
    set_tokens(lock, kept, math.max(kept, last), now)
  end
end
if has(lock, id) then
  raise(lock, token, last)
end
return settle(lock) or id .. ' ' .. whole(now) .. ' ' .. standing(lock, id)
