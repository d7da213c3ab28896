-- lock-holds: the steps that change who holds a lock. Part of lock.lua; each takes a lock as read()
-- has it.

-- A member as its field has it.
local function member_of_text(text)
  local ends, units, limit, stamp, more, mode, client =
    string.match(text, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%l%l) (.+)$')
  return ends and {
    ends = tonumber(ends), units = tonumber(units), limit = tonumber(limit), stamp = tonumber(stamp),
    more = tonumber(more), mode = mode, client = client
  } or damaged()
end

-- The hold of a request, or false. It may be over until purge() has looked.
local function member_of(lock, id)
  if lock.members[id] == nil then
    local text = lock.kind and not lock.all and redis.call('HGET', lock.key, 'h:' .. id)
    lock.members[id] = text and member_of_text(text)
  end
  return lock.members[id]
end

-- All holds, by id; false for those that are no longer.
local function members_of(lock)
  local entries = lock.kind and not lock.all and redis.call('HGETALL', lock.key) or {}
  for i = 1, #entries, 2 do
    local id = string.match(entries[i], '^h:(.*)$')
    if id and lock.members[id] == nil then
      lock.members[id] = member_of_text(entries[i + 1])
    end
  end
  lock.all = true
  return lock.members
end

-- The first token of a hold, and the last one.
local function tokens_of(lock, member)
  return lock.kind == 's' and lock.token or member.stamp, member.stamp + member.more
end

-- Notes a hold that is new or changed.
local function put(lock, id, member)
  lock.members[id], lock.ends = member, math.max(lock.ends, member.ends)
  if lock.kind ~= 'x' then
    lock.fields['h:' .. id] = string.format('%.0f %.0f %.0f %.0f %.0f %s %s', member.ends, member.units,
      member.limit, member.stamp, member.more, member.mode, member.client)
  end
end

-- Notes that a hold ended without a release.
local function lose(lock, stamp)
  lock.lost = math.max(lock.lost or 0, stamp)
end

-- Notes that a hold was released. So few that Redis keeps the hash in its compact form.
local function remember(lock, id)
  lock.released = string.sub(lock.released == '' and id or id .. ' ' .. lock.released, 1, 3 * string.len(id) + 2)
end

-- Whether a hold that is not there any more was released. Later ones may be many.
local function was_released(lock, id, stamp)
  return lock.former == id or string.find(lock.released, id, 1, true)
    or (lock.lost and stamp > lock.lost and stamp <= lock.last)
end

-- Ends a hold. What remains of the last one is one token, before which all others lie.
local function end_hold(lock, id)
  lock.used = lock.used - lock.members[id].units
  lock.members[id], lock.doubts[id] = false, nil
  if lock.kind ~= 'x' then
    lock.fields['h:' .. id] = false
  end
  if lock.used <= 0 then
    lock.token, lock.ends, lock.since, lock.kind = lock.last, 0, false, false
  end
end

-- Whether a hold is over, or the grace of its session has passed since it was doubted.
local function is_over(lock, id, member)
  local doubted, grace = lock.doubts[id], string.match(member.client, '#%d+%.%x+%.%w+%.(%w+)$')
  return member.ends <= now or (doubted and grace and doubted + tonumber(grace, 36) <= now)
end

-- A client with its session, or with another one if that is later.
local function later(client, session)
  local number, former = string.match(session or '', '^#(%d+)'), string.match(client, '#(%d+)')
  return number and number + 0 > (tonumber(former) or 0) and plain(client) .. session or client
end

-- The hold of a request whose client has just said something, or false. That ends a doubt, and the
-- hold is tied to the session that it names, if that is a later one than before.
local function heard(lock, id, session)
  local member = member_of(lock, id)
  if member then
    lock.doubts[id] = nil
    local client = later(member.client, session)
    if client ~= member.client then
      member.client = client
      put(lock, id, member)
    end
  end
  return member
end

-- Drops the holds that are over, if any can be. Then comes advance(): nobody waits for a lock that
-- nobody holds, which lock-take.lua relies on.
local function purge(lock)
  if not lock.kind or (now < lock.due and not next(lock.doubts)) then return end
  lock.due = math.huge
  for id, member in pairs(members_of(lock)) do
    if member and is_over(lock, id, member) then
      lose(lock, member.stamp + member.more)
      end_hold(lock, id)
    elseif member then
      lock.due = math.min(lock.due, member.ends)
    end
  end
  if lock.kind and lock.due == math.huge then damaged() end
end

-- Gives the lock to a request, beside those who hold it if there are any. A token is a moment in
-- microseconds: later than all tokens before it and not later than now, so tokens grow even if all
-- data was lost. A client with callers to hand the lock to gets the moments since the latest
-- token, at most as many as block says; where there is no latest token, it may be the data that
-- was lost, so it gets this very moment.
local function grant(lock, id, wish, lease)
  local kind, ends = kind_of(wish.mode), now + lease
  local block = kind == 's' and 1 or wish.block
  local token = lock.last > 0 and math.max(lock.last + 1, micros - block + 1) or micros
  if not lock.kind then
    lose(lock, lock.lost or (lock.token > 0 and lock.token or token) - 1)
    if lock.former then
      remember(lock, lock.former)
    end
    lock.kind, lock.id, lock.former, lock.token, lock.all = kind, id, false, token, true
    lock.ends, lock.used, lock.due = ends, 0, ends
    -- Close enough for a person who reads it.
    lock.since = kind == 'x' and math.abs(math.floor(token / 1000) - now) > 1000 and now or false
  end
  lock.last = math.max(token, math.min(micros, token + block - 1))
  lock.used, lock.due = lock.used + wish.units, math.min(lock.due, ends)
  put(lock, id, {
    ends = ends, units = wish.units, limit = wish.limit, stamp = token, more = lock.last - token,
    mode = wish.mode, client = wish.client
  })
end
