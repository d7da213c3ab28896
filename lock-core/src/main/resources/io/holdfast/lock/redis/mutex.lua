-- mutex: what lies in Redis, and the steps that the mutex-*.lua scripts share. Not a script of
-- its own: a line "--#include mutex.lua" puts it into one.
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
--   released  ids of the holds before this one that were released, up to four, so that a
--             release that runs again is told so and not that its hold was lost
--
-- and, only while requests wait, a queue of numbered places:
--
--   head tail   numbers of the first and the last place
--   q:<number>  id of the request in that place; absent once it gave the place up
--   w:<id>      its record: "number alive lease block type client", where alive is when the
--               place ends unless its client says before that it still waits
--
-- A free lock keeps its token until the key expires, so that tokens also grow while the
-- server's clock is set back. All times are the server's.

-- Characters in which four ids fit, and the hash keeps its compact form.
local REMEMBERED = 4 * 14 - 1

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

local function whole(number)
  return string.format('%.0f', number)
end

-- Reads what every step needs. Answers nil and the error if the key is not a hash.
local function read(lock)
  local f = redis.pcall('HMGET', lock,
    'hold', 'until', 'client', 'token', 'last', 'head', 'tail', 'released')
  if f.err then
    return nil, f
  end
  return {
    id = f[1], ends = tonumber(f[2] or 0), client = f[3],
    token = tonumber(f[4] or 0), last = tonumber(f[5] or 0),
    head = tonumber(f[6] or 1), tail = tonumber(f[7] or 0), released = f[8] or ''
  }
end

local function is_held(hold)
  return hold.ends > now
end

local function is_awaited(hold)
  return hold.head <= hold.tail
end

-- Lets the key live as long as anything in it matters, and the retention on top.
local function keep(lock, hold, timeout, retention)
  local used = math.max(hold.ends - now, 0)
  if is_awaited(hold) then
    used = math.max(used, timeout)
  end
  redis.call('PEXPIRE', lock, whole(used + retention))
end

-- Tells one client something. A refused PUBLISH must not undo what was done before it.
local function tell(channels, client, ...)
  redis.pcall('PUBLISH', channels .. client, table.concat({ ... }, ' '))
end

-- Writes a hold. A token is a moment in microseconds: later than all tokens before it and not
-- later than now, so tokens grow even if all data was lost. A client with threads to hand the
-- lock to gets the moments since the latest token, at most as many as block says; where there
-- is no latest token, it may be the data that was lost, so it gets this very moment. The hold
-- before it is remembered if it was released, not if it ran out.
local function grant(lock, hold, id, client, type, lease, block)
  local spent = math.max(hold.token, hold.last)
  local token = spent > 0 and math.max(spent + 1, micros - block + 1) or micros
  if hold.id and hold.ends == 0 then
    hold.released = string.sub(hold.id .. ' ' .. hold.released, 1, REMEMBERED)
  end
  hold.id, hold.client, hold.ends = id, client, now + lease
  hold.token, hold.last = token, math.max(token, math.min(micros, token + block - 1))
  redis.call('HSET', lock, 'hold', id, 'until', whole(hold.ends), 'since', whole(now),
    'client', client, 'type', type, 'token', whole(token), 'released', hold.released)
  if hold.last > token then
    redis.call('HSET', lock, 'last', whole(hold.last))
  end
end

-- The record of a waiting request's place, or false.
local function place_of(lock, hold, id)
  return is_awaited(hold) and redis.call('HGET', lock, 'w:' .. id)
end

local function write_place(lock, number, id, alive, lease, block, type, client)
  redis.call('HSET', lock, 'w:' .. id,
    table.concat({ whole(number), whole(alive), lease, block, type, client }, ' '))
end

-- Puts a request that has no place yet at the end of the queue.
local function join(lock, hold, id, client, type, lease, block, timeout)
  hold.tail = hold.tail + 1
  redis.call('HSET', lock, 'q:' .. whole(hold.tail), id,
    'head', whole(hold.head), 'tail', whole(hold.tail))
  write_place(lock, hold.tail, id, now + timeout, lease, block, type, client)
end

-- Says again that a request waits in its place, for as many milliseconds as timeout says.
local function stay(lock, id, record, timeout)
  local number, rest = string.match(record, '^(%d+) %d+ (.*)$')
  redis.call('HSET', lock, 'w:' .. id, table.concat({ number, whole(now + timeout), rest }, ' '))
end

-- Takes a request out of the queue.
local function leave(lock, hold, id, record)
  local number = tonumber(string.match(record, '^%d+'))
  redis.call('HDEL', lock, 'w:' .. id, 'q:' .. whole(number))
  if number == hold.tail then
    hold.tail = number - 1
    if is_awaited(hold) then
      redis.call('HSET', lock, 'tail', whole(hold.tail))
    else
      redis.call('HDEL', lock, 'head', 'tail')
    end
  end
end

-- Hands a lock that nobody holds to the first waiter that kept its place. Dead ones are dropped
-- on the way, each once. The hold starts with a lease no longer than a place lasts: if the
-- receiver has just died that is what it costs, and a live one extends it. One message goes
-- to the receiver's client, none if the receiver is the request that asks.
local function hand_over(lock, hold, timeout, channels, asking)
  while is_awaited(hold) and not is_held(hold) do
    local place = 'q:' .. whole(hold.head)
    local id = redis.call('HGET', lock, place)
    hold.head = hold.head + 1
    if id then
      local record = redis.call('HGET', lock, 'w:' .. id)
      redis.call('HDEL', lock, place, 'w:' .. id)
      local alive, lease, block, type, client =
        string.match(record, '^%d+ (%d+) (%d+) (%d+) (%a+) (.*)$')
      if tonumber(alive) > now then
        lease = tonumber(lease)
        if id ~= asking then
          lease = math.min(lease, timeout)
        end
        grant(lock, hold, id, client, type, lease, tonumber(block))
      end
    end
  end
  if is_awaited(hold) then
    redis.call('HSET', lock, 'head', whole(hold.head))
  else
    redis.call('HDEL', lock, 'head', 'tail')
  end
  if is_held(hold) and hold.id ~= asking then
    tell(channels, hold.client, 'granted', hold.id, whole(hold.token), whole(hold.last),
      whole(hold.ends - now), is_awaited(hold) and 1 or 0, lock)
  end
end

-- How a request stands, as five values: HOLDS, milliseconds left, token, last, whether
-- others wait | WAITS, milliseconds left of the current hold, places before it, 0, 0 | NONE.
local function standing(lock, hold, id)
  if hold.id == id and is_held(hold) then
    return 'HOLDS', hold.ends - now, hold.token, math.max(hold.token, hold.last),
      is_awaited(hold) and 1 or 0
  end
  local record = place_of(lock, hold, id)
  if record then
    return 'WAITS', math.max(hold.ends - now, 0),
      tonumber(string.match(record, '^%d+')) - hold.head, 0, 0
  end
  return 'NONE', math.max(hold.ends - now, 0), 0, 0, 0
end
