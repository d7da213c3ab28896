-- mutex-quorum: the steps that the scripts of one of the servers of a quorum share. Put into them
-- behind mutex.lua.
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
  lock.token = math.max(lock.token, token)
  lock.last = math.max(lock.token, lock.last, last)
  set(lock, 'token', whole(lock.token))
  set(lock, 'last', whole(lock.last))
end
