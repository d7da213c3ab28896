-- lock-quorum: lock.lua, and the step that the scripts of one of the servers of a quorum share. Locks
-- are exclusive here. Their last argument is '<timeout> <retention> <publish> <channels>'.
--
-- Returns  starting(guard): whether this server may not vote yet
-- Repeat   safe
-- Clock    the server's only

local timeout, retention, publish, channels = string.match(ARGV[#ARGV], '^(%d+) (%d+) (%S+) (.*)$')
timeout, retention = tonumber(timeout), tonumber(retention)
--#include lock.lua

-- A server that was started may have forgotten holds, so it grants and takes up nothing for guard seconds.
-- Its uptime is negative after its clock was set back.
local function starting(guard)
  return guard > 0
    and (tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')) or 0) <= guard
end
