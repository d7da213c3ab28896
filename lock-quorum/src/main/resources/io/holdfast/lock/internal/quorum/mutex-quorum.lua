-- mutex-quorum: the steps that the scripts of one of the servers of a quorum share. Put into them
-- after mutex.lua.
--
-- Returns  starting(guard): milliseconds until this server may vote, or nothing if it may
--          raise(lock, token, last): nothing; only changes what was read
-- Repeat   safe
-- Clock    the server's only

-- A server that was started may have forgotten holds, so it does not vote for guard seconds.
local function starting(guard)
  local uptime = guard > 0
    and tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)'))
  return uptime and uptime <= guard and (guard + 1 - uptime) * 1000 or nil
end

-- Raises the fencing tokens of a hold, so that every later grant of any majority has a larger one.
local function raise(lock, token, last)
  local raised, got = math.max(lock.token, token), since(lock)
  if lock.lost == lock.token - 1 then
    -- The first hold here: what was before it may have been forgotten.
    lock.lost = raised - 1
    set(lock, 'lost', whole(lock.lost))
  end
  set_tokens(lock, raised, math.max(raised, lock.last, last), got)
end
