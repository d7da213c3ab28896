-- lock-member: the quick ways into a group that goes on, out of it, and to stay in it: while nobody
-- waits and no member's end may have come. They do nothing, and answer nothing, if the steps have to
-- look.
--
-- Repeat   safe: nothing done
-- Memory   passes when memory is full: the first write is PEXPIRE or HDEL
-- Clock    the server's only

-- What these ways have to know of a lock, or nothing.
local function group_of(key, id)
  local f = redis.pcall('HMGET', key, 'group', 'h:' .. id, 'head', 'until', 'token', 'last', 'released', 'doubt')
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  local kind, used, due = string.match(f[1] or '', '^([sp]) (%d+) (%d+)$')
  local ends, token = tonumber(string.sub(f[4] or '', 3)), tonumber(f[5])
  local last = tonumber(f[6] or f[5])
  if kind and not f[3] and not f[8] and ends and token and last and due * 1000 > micros then
    return {
      kind = kind, used = used + 0, due = due + 0, member = f[2], ends = ends, token = token, last = last,
      released = f[7] or '', micros = micros, now = math.floor(micros / 1000)
    }
  end
end

local function put_group(key, group, left, retention, ...)
  local ends = math.max(group.ends, group.now + left)
  redis.call('PEXPIRE', key, string.format('%.0f', ends - group.now + retention))
  redis.call('HSET', key, 'until', string.format('3:%.0f', ends), ...)
end

-- Answers as the acquire step.
local function enter(key, id, client, wish, retention)
  local mode, lease, units, limit, valid = string.match(wish, '^(%l%l) (%d+) (%d+) (%d+) 1 %d+ (%d+)$')
  local group = mode and group_of(key, id)
  if not group or group.member or group.kind ~= string.sub(mode, 1, 1) or group.now > valid + 0
      or (group.kind == 'p' and group.used + units > limit + 0) or string.find(group.released, id, 1, true) then
    return nil
  end
  local stamp, ends = math.max(group.last + 1, group.micros), group.now + lease
  put_group(key, group, lease, retention, 'last', string.format('%.0f', stamp), 'group',
    string.format('%s %.0f %.0f', group.kind, group.used + units, math.min(group.due, ends)), 'h:' .. id,
    string.format('%.0f %s %s %.0f 0 %s %s', ends, units, limit, stamp, mode, client))
  return string.format('%s %.0f HOLDS %s %.0f %.0f 0', id, group.now, lease,
    group.kind == 's' and group.token or stamp, stamp)
end

-- Answers as the release step.
local function go(key, id)
  local group = group_of(key, id)
  local units = group and string.match(group.member or '', '^%d+ (%d+) ')
  if not units or group.used - units <= 0 then return nil end
  redis.call('HDEL', key, 'h:' .. id)
  redis.call('HSET', key, 'group', string.format('%s %.0f %.0f', group.kind, group.used - units, group.due),
    'released', string.match(id .. ' ' .. group.released, '^%S+ ?%S* ?%S*%S'))
  return id .. ' RELEASED'
end

-- Answers as lock-renew.lua.
local function renew_member(key, id, lease, retention)
  local group = group_of(key, id)
  local ends, rest, stamp, more = string.match(group and group.member or '', '^(%d+) (%d+ %d+ (%d+) (%d+) .+)$')
  if not ends then return nil end
  local left = math.max(ends - group.now, lease)
  put_group(key, group, left, retention, 'h:' .. id, string.format('%.0f %s', group.now + left, rest))
  return string.format('%s HOLDS %.0f %.0f %.0f 0', id, left, group.kind == 's' and group.token or stamp + 0,
    stamp + more)
end
