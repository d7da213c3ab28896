-- lock-take: grants an exclusive request a lock that is free, in half the time that the steps take
-- to do the same; falls through, with nothing done, if they have to look. Put into scripts before
-- the steps are even defined; uses these locals:
--
-- key       lock hash   <prefix>lock:<name>
-- id        request id, new for every acquisition
-- owner     as in the hash
-- lease     milliseconds, > 0, no longer than the retention
-- lifetime  lease and retention
-- before    server time in microseconds after which nothing new may be done; '0' for the steps
--
-- Returns  '<id> HELD <token>': granted as asked, at the moment of the token
-- Repeat   safe: nothing done
-- Memory   refused when memory is full and the key is new, with nothing changed
-- Clock    the server's only
if before ~= '0' then
  local f = redis.pcall('HMGET', key, 'hold', 'until', 'token', 'released')
  local hold, spent = f[1], tonumber(f[3] or 0)
  -- Where until is absent nobody waits, and nothing follows the id in hold.
  local free = not f[2] and not f.err and spent and (hold and f[3] and hold ~= id and hold ~= '3:'
    and string.sub(hold, 1, 2) == '3:' or not hold and not f[3])
  if free and not hold then
    free = redis.call('HLEN', key) == 0
  end
  if free and not (f[4] and string.find(f[4], id, 1, true)) then
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    if now > spent and now < before + 0 then
      local token = string.format('%.0f', now)
      if hold then
        redis.call('PEXPIRE', key, lifetime)
      end
      redis.call('HSET', key, 'hold', id, 'until', string.format('3:%.0f', math.floor(now / 1000) + lease), 'owner', owner,
        'token', token, hold and 'released' or 'lost',
        hold and (f[4] and string.sub(hold .. ' ' .. f[4], 1, 56) or hold) or string.format('%.0f', now - 1))
      local limited = not hold and redis.pcall('PEXPIRE', key, lifetime)
      if type(limited) == 'table' then
        -- The user may not run it. Nobody may hold what would last for ever.
        redis.call('HDEL', key, 'hold', 'until', 'owner', 'token', 'lost')
        error(limited.err, 0)
      end
      return id .. ' HELD ' .. token
    end
  end
end
