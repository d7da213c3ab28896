-- lock-quorum: lock.lua, and the steps that the scripts of one of the servers of a quorum share. Locks
-- are exclusive here. Their last argument is '<timeout> <retention> <publish> <channels>'.
--
-- Returns  starting(id, guard): '<id> <now> STARTING <milliseconds left>' until this server may vote,
--          then nothing
--          raise(lock, token, last): nothing; only changes what was read
-- Repeat   safe
-- Clock    the server's only

local timeout, retention, publish, channels = string.match(ARGV[#ARGV], '^(%d+) (%d+) (%S+) (.*)$')
timeout, retention = tonumber(timeout), tonumber(retention)
--#include lock.lua

-- A server that was started may have forgotten holds, so it does not vote for guard seconds.
-- Its uptime is negative after its clock was set back.
local function starting(id, guard)
  local uptime = guard > 0
    and (tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')) or 0)
  return uptime and uptime <= guard
    and id .. ' ' .. whole(now) .. ' STARTING ' .. whole((guard + 1 - uptime) * 1000)
end

-- Sets the tokens of the hold, as its quorum agreed upon them; since when it lasts stays.
local function set_tokens(lock, token, last, since)
  local member = lock.members[lock.id]
  lock.token, lock.last = token, last
  member.stamp, member.more = token, last - token
  lock.since = math.abs(math.floor(token / 1000) - since) > 1000 and since or false
end

-- Raises the fencing tokens of a hold, so that every later grant of any majority has a larger one.
local function raise(lock, token, last)
  local raised = math.max(lock.token, token)
  if lock.lost == lock.token - 1 then
    -- The first hold here: what was before it may have been forgotten.
    lock.lost = raised - 1
  end
  set_tokens(lock, raised, math.max(raised, lock.last, last), lock.since or math.floor(lock.token / 1000))
end

-- Whether a request holds the lock, and has not outlasted that.
local function has(lock, id)
  return lock.kind == 'x' and lock.id == id and lock.members[id].ends > now
end
