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
--   type      reentrant | fair, as the holder asked
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

local NOBODY = '-'

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

local function whole(number)
  return string.format('%.0f', number)
end

-- Reads what every step needs. Answers nil and the error if the key is not a hash.
local function read(lock)
  local f = redis.pcall('HMGET', lock,
    'hold', 'until', 'client', 'token', 'last', 'head', 'tail', 'released', 'lost')
  if f.err then
    return nil, f
  end
  return {
    id = f[1], ends = tonumber(f[2] or 0), client = f[3],
    token = tonumber(f[4] or 0), last = tonumber(f[5] or 0),
    head = f[6] or NOBODY, tail = f[7] or NOBODY, released = f[8] or '',
    lost = tonumber(f[9])
  }
end

local function is_held(hold)
  return hold.ends > now
end

local function is_awaited(hold)
  return hold.head ~= NOBODY
end

-- Whether a hold that is not there any more was released. Later ones may be many.
local function was_released(hold, id, token)
  return (hold.id == id and hold.ends == 0) or string.find(hold.released, id, 1, true)
    or (hold.lost and token > hold.lost and token < hold.token)
end

-- Lets the key live as long as anything in it matters, and the retention on top.
local function keep(lock, hold)
  local used = math.max(hold.ends - now, 0)
  if is_awaited(hold) then
    used = math.max(used, timeout)
  end
  redis.call('PEXPIRE', lock, whole(used + retention))
end

-- Tells one client something. A refused PUBLISH must not undo what was done before it.
local function tell(client, ...)
  redis.pcall('PUBLISH', channels .. client, table.concat({ ... }, ' '))
end

-- Writes a hold. A token is a moment in microseconds: later than all tokens before it and not
-- later than now, so tokens grow even if all data was lost. A client with threads to hand the
-- lock to gets the moments since the latest token, at most as many as block says; where there
-- is no latest token, it may be the data that was lost, so it gets this very moment.
local function grant(lock, hold, id, client, type, lease, block)
  local released, lost = {}, hold.lost
  if hold.id and hold.ends > 0 then
    lost = math.max(hold.token, hold.last)
  elseif not lost and hold.token > 0 then
    lost = hold.token - 1
  end
  if lost ~= hold.lost then
    hold.lost = lost
    redis.call('HSET', lock, 'lost', whole(lost))
  end
  if hold.id and hold.ends == 0 then
    -- So few that Redis keeps the hash in its compact form, and small if nobody waits.
    local ids = hold.id
    if is_awaited(hold) and hold.released ~= '' then
      ids = string.sub(ids .. ' ' .. hold.released, 1, 4 * string.len(ids) + 3)
    end
    released = { 'released', ids }
  end
  local spent = math.max(hold.token, hold.last)
  local token = spent > 0 and math.max(spent + 1, micros - block + 1) or micros
  hold.id, hold.client, hold.ends = id, client, now + lease
  hold.token, hold.last = token, math.max(token, math.min(micros, token + block - 1))
  redis.call('HSET', lock, 'hold', id, 'until', whole(hold.ends), 'since', whole(now),
    'client', client, 'type', type, 'token', whole(token), unpack(released))
  if hold.last > token then
    redis.call('HSET', lock, 'last', whole(hold.last))
  end
end

-- The place of a waiting request, or nil.
local function place_of(lock, hold, id)
  local text = is_awaited(hold) and redis.call('HGET', lock, 'w:' .. id)
  if not text then
    return nil
  end
  local previous, next, number, alive, lease, block, type, client =
    string.match(text, '^(%S+) (%S+) (%d+) (%d+) (%d+) (%d+) (%a+) (.*)$')
  return {
    previous = previous, next = next, number = tonumber(number), alive = tonumber(alive),
    lease = tonumber(lease), block = tonumber(block), type = type, client = client
  }
end

local function text_of(place)
  return table.concat({ place.previous, place.next, whole(place.number), whole(place.alive),
    whole(place.lease), whole(place.block), place.type, place.client }, ' ')
end

local function write_place(lock, id, place)
  redis.call('HSET', lock, 'w:' .. id, text_of(place))
end

-- Puts a request that has no place yet at the end of the queue. Answers its place.
local function join(lock, hold, id, client, type, lease, block)
  local place = {
    previous = hold.tail, next = NOBODY, number = 1, alive = now + timeout,
    lease = lease, block = block, type = type, client = client
  }
  if is_awaited(hold) then
    local last = place_of(lock, hold, hold.tail)
    last.next, place.number = id, last.number + 1
    redis.call('HSET', lock, 'w:' .. hold.tail, text_of(last), 'w:' .. id, text_of(place), 'tail', id)
  else
    hold.head = id
    redis.call('HSET', lock, 'w:' .. id, text_of(place), 'head', id, 'tail', id)
  end
  hold.tail = id
  return place
end

-- Says again that a request waits in its place.
local function stay(lock, id, place)
  place.alive = now + timeout
  write_place(lock, id, place)
end

-- Takes a request out of the queue, wherever it stands.
local function leave(lock, hold, id, place)
  redis.call('HDEL', lock, 'w:' .. id)
  if id ~= hold.head then
    local previous = place_of(lock, hold, place.previous)
    previous.next = place.next
    write_place(lock, place.previous, previous)
  end
  if id ~= hold.tail then
    local next = place_of(lock, hold, place.next)
    next.previous = place.previous
    write_place(lock, place.next, next)
  end
  if id == hold.tail then
    hold.tail = id == hold.head and NOBODY or place.previous
  end
  if id == hold.head then
    hold.head = place.next
  end
  if is_awaited(hold) then
    redis.call('HSET', lock, 'head', hold.head, 'tail', hold.tail)
  else
    redis.call('HDEL', lock, 'head', 'tail')
  end
end

-- Hands a lock that nobody holds to the first waiter that kept its place. Dead ones are dropped
-- on the way, each once. The hold starts with a lease no longer than a place lasts: if the
-- receiver has just died that is what it costs, and a live one extends it. One message goes
-- to the receiver's client, none if the receiver is the request that asks.
local function hand_over(lock, hold, asking)
  while is_awaited(hold) and not is_held(hold) do
    local id = hold.head
    local place = place_of(lock, hold, id)
    redis.call('HDEL', lock, 'w:' .. id)
    hold.head = place.next
    if place.alive > now then
      local lease = id == asking and place.lease or math.min(place.lease, timeout)
      grant(lock, hold, id, place.client, place.type, lease, place.block)
    end
  end
  if is_awaited(hold) then
    redis.call('HSET', lock, 'head', hold.head)
  else
    hold.tail = NOBODY
    redis.call('HDEL', lock, 'head', 'tail')
  end
  if is_held(hold) and hold.id ~= asking then
    tell(hold.client, 'granted', hold.id, whole(hold.token), whole(hold.last),
      whole(hold.ends - now), is_awaited(hold) and 1 or 0, lock)
  end
end

-- How a request stands, as six words: HOLDS | WAITS | NONE, milliseconds left of the current
-- hold, first token if it holds, last token of the lock, 1 if others wait, places before it.
-- A place that is known need not be looked up.
local function standing(lock, hold, id, known)
  local left, last = math.max(hold.ends - now, 0), math.max(hold.token, hold.last)
  local state, token, before = 'NONE', 0, 0
  if hold.id == id and left > 0 then
    state, token = 'HOLDS', hold.token
  else
    local place = known or place_of(lock, hold, id)
    if place then
      state = 'WAITS'
      before = id ~= hold.head and place.number - place_of(lock, hold, hold.head).number or 0
    end
  end
  return string.format('%s %.0f %.0f %.0f %d %d', state, left, token, last,
    is_awaited(hold) and 1 or 0, before)
end
