-- mutex: what lies in Redis, and the steps that the mutex-*.lua scripts share. Not a script of
-- its own: a line "--#include mutex.lua" puts it into one. The steps use three locals of that
-- script:
--
--   timeout    milliseconds that a waiter's place lasts without a sign of life
--   retention  milliseconds that the key outlives its use
--   channels   prefix of the clients' channels
--
-- One hash holds all there is to know about one lock:
--
--   hold      id of the request that holds the lock, or held it last
--   until     when that hold ends, in milliseconds; absent once it was released
--   since     when its client got it, in milliseconds
--   client    client that holds it: application@host/random
--   type      fair, if the holder asked for that; else absent
--   token     fencing token of the hold
--   last      last token that the hold may give out inside its client, if it may more than one
--   released  ids of the latest holds that were released, before the current one: a release
--             that runs again is told so, and not that its hold was lost
--   lost      last token up to which holds may have ended without a release: the latest that
--             did, or those before the data was lost; absent until a second hold
--
-- and, only while requests wait, the queue:
--
--   head tail  ids of the first and the last request that waits
--   w:<id>     place of a request: "previous next number alive lease block type client", where
--              previous and next are ids or -, and alive is when the place ends unless its
--              client says before that it still waits
--
-- A free lock keeps its token until the key expires, so that tokens also grow while the
-- server's clock is set back. All times are the server's.
--
-- read() tells how a lock stands, the steps change that, and write() writes what they changed:
-- nothing is written before all is known, and a change of hands takes few commands, also if it
-- is several requests that bring it about.

local NOBODY = '-'

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

local function whole(number)
  return string.format('%.0f', number)
end

-- A lock as it stands by its fields.
local function lock_of(key, f)
  local head, tail = f[6] or NOBODY, f[7] or NOBODY
  return {
    key = key, id = f[1], ends = tonumber(f[2] or 0), client = f[3],
    token = tonumber(f[4] or 0), last = tonumber(f[5] or 0),
    head = head, tail = tail, released = f[8] or '', lost = tonumber(f[9]),
    -- the places that were looked at, by id, and what write() is to do
    places = {}, moved = {}, fields = {}, messages = {}, old_head = head, old_tail = tail
  }
end

-- Reads what every step needs. Answers nil and the error if the key is not a hash.
local function read(key)
  local f = redis.pcall('HMGET', key,
    'hold', 'until', 'client', 'token', 'last', 'head', 'tail', 'released', 'lost')
  if f.err then
    return nil, f
  end
  return lock_of(key, f)
end

local function is_held(lock)
  return lock.ends > now
end

local function is_awaited(lock)
  return lock.head ~= NOBODY
end

local function set(lock, field, value)
  lock.fields[field] = value
end

local function drop(lock, field)
  lock.fields[field] = false
end

-- Tells one client something, after all is written.
local function tell(lock, client, ...)
  lock.messages[#lock.messages + 1] = { channels .. client, table.concat({ ... }, ' ') }
end

-- Notes what remains to be written of the queue.
local function write_queue(lock)
  for id, place in pairs(lock.moved) do
    set(lock, 'w:' .. id, table.concat({ place.previous, place.next, whole(place.number),
      whole(place.alive), whole(place.lease), whole(place.block), place.type, place.client }, ' '))
  end
  if not is_awaited(lock) then
    if lock.old_head ~= NOBODY then
      drop(lock, 'head')
      drop(lock, 'tail')
    end
    return
  end
  if lock.head ~= lock.old_head then
    set(lock, 'head', lock.head)
  end
  if lock.tail ~= lock.old_tail then
    set(lock, 'tail', lock.tail)
  end
end

-- Writes all changes, once. The key lives as long as anything in it matters, and the retention
-- on top. When memory is full Redis refuses a script's first write unless it is HDEL or PEXPIRE:
-- what drops a field passes, and so does the sign of life of a request that the key knows.
local function write(lock, known)
  write_queue(lock)
  local used = math.max(lock.ends - now, 0)
  if is_awaited(lock) then
    used = math.max(used, timeout)
  end
  local lifetime = whole(used + retention)
  local gone, new = {}, {}
  for field, value in pairs(lock.fields) do
    if value then
      new[#new + 1], new[#new + 2] = field, value
    else
      gone[#gone + 1] = field
    end
  end
  local first = known and #gone == 0
  if first then
    redis.call('PEXPIRE', lock.key, lifetime)
  end
  -- Lua passes no more than a few thousand arguments.
  for i = 1, #gone, 1000 do
    redis.call('HDEL', lock.key, unpack(gone, i, math.min(i + 999, #gone)))
  end
  if #new > 0 then
    redis.call('HSET', lock.key, unpack(new))
  end
  if not first then
    redis.call('PEXPIRE', lock.key, lifetime)
  end
  -- A refused PUBLISH must not undo what was done before it.
  for _, message in ipairs(lock.messages) do
    redis.pcall('PUBLISH', message[1], message[2])
  end
end

-- Whether a hold that is not there any more was released. Later ones may be many.
local function was_released(lock, id, token)
  return (lock.id == id and lock.ends == 0) or string.find(lock.released, id, 1, true)
    or (lock.lost and token > lock.lost and token < lock.token)
end

-- Ends the hold.
local function end_hold(lock)
  for _, field in ipairs({ 'until', 'since', 'client', 'type' }) do
    drop(lock, field)
  end
  lock.ends = 0
end

-- Gives the lock to a request. A token is a moment in microseconds: later than all tokens before
-- it and not later than now, so tokens grow even if all data was lost. A client with threads to
-- hand the lock to gets the moments since the latest token, at most as many as block says; where
-- there is no latest token, it may be the data that was lost, so it gets this very moment.
local function grant(lock, id, client, type, lease, block)
  local lost = lock.lost
  if lock.id and lock.ends > 0 then
    lost = math.max(lock.token, lock.last)
    drop(lock, 'type')
  elseif not lost and lock.token > 0 then
    lost = lock.token - 1
  end
  if lost ~= lock.lost then
    lock.lost = lost
    set(lock, 'lost', whole(lost))
  end
  if lock.id and lock.ends == 0 then
    -- So few that Redis keeps the hash in its compact form, and small if nobody waits.
    local ids = lock.id
    if is_awaited(lock) and lock.released ~= '' then
      ids = string.sub(ids .. ' ' .. lock.released, 1, 4 * string.len(ids) + 3)
    end
    lock.released = ids
    set(lock, 'released', ids)
  end
  local spent = math.max(lock.token, lock.last)
  local token = spent > 0 and math.max(spent + 1, micros - block + 1) or micros
  lock.id, lock.client, lock.ends = id, client, now + lease
  lock.token, lock.last = token, math.max(token, math.min(micros, token + block - 1))
  set(lock, 'hold', id)
  set(lock, 'until', whole(lock.ends))
  set(lock, 'since', whole(now))
  set(lock, 'client', client)
  if type == 'fair' then
    set(lock, 'type', type)
  end
  set(lock, 'token', whole(token))
  if lock.last > token then
    set(lock, 'last', whole(lock.last))
  end
end

-- The place of a waiting request, or false.
local function place_of(lock, id)
  if lock.places[id] == nil then
    local text = is_awaited(lock) and redis.call('HGET', lock.key, 'w:' .. id)
    local place = false
    if text then
      local previous, next, number, alive, lease, block, type, client =
        string.match(text, '^(%S+) (%S+) (%d+) (%d+) (%d+) (%d+) (%a+) (.*)$')
      place = {
        previous = previous, next = next, number = tonumber(number), alive = tonumber(alive),
        lease = tonumber(lease), block = tonumber(block), type = type, client = client
      }
    end
    lock.places[id] = place
  end
  return lock.places[id]
end

-- Puts a request that has no place yet at the end of the queue.
local function join(lock, id, client, type, lease, block)
  local number = 1
  if is_awaited(lock) then
    local last = place_of(lock, lock.tail)
    last.next, number = id, last.number + 1
    lock.moved[lock.tail] = last
  else
    lock.head = id
  end
  local place = {
    previous = lock.tail, next = NOBODY, number = number, alive = now + timeout,
    lease = lease, block = block, type = type, client = client
  }
  lock.tail, lock.places[id], lock.moved[id] = id, place, place
end

-- Says again that a request waits in its place.
local function stay(lock, id)
  local place = place_of(lock, id)
  place.alive, lock.moved[id] = now + timeout, place
end

-- Takes a request out of the queue, wherever it stands. What the first place names as the one
-- before it means nothing.
local function leave(lock, id)
  local place = place_of(lock, id)
  drop(lock, 'w:' .. id)
  lock.places[id], lock.moved[id] = false, nil
  if id == lock.head then
    lock.head = place.next
  else
    local previous = place_of(lock, place.previous)
    previous.next, lock.moved[place.previous] = place.next, previous
    if id ~= lock.tail then
      local next = place_of(lock, place.next)
      next.previous, lock.moved[place.next] = place.previous, next
    end
  end
  if id == lock.tail then
    lock.tail = is_awaited(lock) and place.previous or NOBODY
  end
end

-- Hands a lock that nobody holds to the first waiter that kept its place. Dead ones are dropped
-- on the way, each once. The hold starts with a lease no longer than a place lasts: if the
-- receiver has just died that is what it costs, and a live one extends it. One message goes
-- to the receiver's client, none if the receiver is the request that asks.
local function hand_over(lock, asking)
  while is_awaited(lock) and not is_held(lock) do
    local id = lock.head
    local place = place_of(lock, id)
    leave(lock, id)
    if place.alive > now then
      local lease = id == asking and place.lease or math.min(place.lease, timeout)
      grant(lock, id, place.client, place.type, lease, place.block)
    end
  end
  if is_held(lock) and lock.id ~= asking then
    tell(lock, lock.client, 'granted', lock.id, whole(lock.token), whole(lock.last),
      whole(lock.ends - now), is_awaited(lock) and 1 or 0, lock.key)
  end
end

-- How a request stands, as six words: HOLDS | WAITS | NONE, milliseconds left of the current
-- hold, first token if it holds, last token of the lock, 1 if others wait, places before it. If
-- it waits also the id of the request directly before it, whether that waits or holds, or -.
-- Nobody ever comes between the two.
local function standing(lock, id)
  local left, last = math.max(lock.ends - now, 0), math.max(lock.token, lock.last)
  local state, token, before, behind = 'NONE', 0, 0, ''
  if lock.id == id and left > 0 then
    state, token = 'HOLDS', lock.token
  else
    local place = place_of(lock, id)
    if place then
      state = 'WAITS'
      if id ~= lock.head then
        before = place.number - place_of(lock, lock.head).number
        behind = ' ' .. place.previous
      else
        behind = ' ' .. (left > 0 and lock.id or NOBODY)
      end
    end
  end
  return string.format('%s %.0f %.0f %.0f %d %d%s', state, left, token, last,
    is_awaited(lock) and 1 or 0, before, behind)
end
