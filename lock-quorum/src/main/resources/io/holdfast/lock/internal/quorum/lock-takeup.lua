-- lock-takeup: raises the fencing tokens of a hold to those that its quorum agreed upon, so that every
-- later grant of any majority has a larger one; and has one of its servers take up a hold that it lacks,
-- together with its tokens. What another request holds here it leaves alone.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  id         as given to lock-vote
-- ARGV[2]  client     application@host/random
-- ARGV[3]  lease      milliseconds, > 0 where something may be taken up
-- ARGV[4]  token      token of the hold at least
-- ARGV[5]  last       last token of the hold at least
-- ARGV[6]  guard      as for lock-vote
-- ARGV[7]  not after  server time in milliseconds after which nothing is taken up; with 0 nothing is
-- ARGV[8]  settings   as for lock-vote
--
-- Returns  '<id> <now> <standing>' (see lock.lua); NONE if the request does not hold
-- Repeat   safe: a hold that was released here is not taken up again
-- Memory   refused when memory is full, with nothing changed, unless the key was here before
-- Clock    the server's only
-- Called by  QuorumScripts.takeUp
local id, client, lease = ARGV[1], ARGV[2], tonumber(ARGV[3])
local token, last, guard, not_after = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
--#include lock-quorum.lua

-- Sets the tokens of the hold, as its quorum agreed upon them, and since when it lasts.
local function set_tokens(lock, token, last, since)
  local member = lock.members[lock.id]
  lock.token, lock.last = token, last
  member.stamp, member.more = token, last - token
  lock.since = math.abs(math.floor(token / 1000) - since) > 1000 and since or false
end

local lock, problem = read(KEYS[1])
if not lock then return problem end
purge(lock)
if not lock.kind and now <= not_after and not was_released(lock, id, 0) and not starting(guard) then
  -- Not a new grant, so it gets no new token.
  local kept = math.max(lock.last, token)
  grant(lock, id, { mode = 'xr', units = 1, limit = 1, block = 1, client = client }, lease)
  set_tokens(lock, kept, math.max(kept, last), now)
elseif lock.kind == 'x' and lock.id == id then
  local raised = math.max(lock.token, token)
  if lock.lost == lock.token - 1 then
    -- The first hold here: what was before it may have been forgotten.
    lock.lost = raised - 1
  end
  set_tokens(lock, raised, math.max(raised, lock.last, last), lock.since or math.floor(lock.token / 1000))
end
return settle(lock) or id .. ' ' .. whole(now) .. ' ' .. standing(lock, id)
