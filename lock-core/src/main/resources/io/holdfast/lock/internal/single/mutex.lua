-- mutex: what lies in Redis, and the steps that the mutex-*.lua scripts share. Not a script of
-- its own: a line "--#include mutex.lua" puts it into one. The steps use three locals of that
-- script:
--
--   timeout    milliseconds that a waiter's place lasts without renewal
--   retention  milliseconds that the key outlives its use
--   channels   prefix of the clients' channels
--
-- One hash holds all there is to know about one lock. This is layout 2: ids of requests and the
-- end of a hold begin with "2:", messages with "2 ". docs/internals/decisions/0001-layout-version.md tells
-- what becomes of other layouts.
--
--   hold      id of the request that holds the lock, or held it last, or "2:"; followed by " +" if
--             its release has more to do than to drop until: others wait, or it has last or
--             since, or the key is to live for longer than twice the retention
--   until     when that hold ends, in milliseconds; absent once it was released
--   owner     "xr application@host/random": the kind of the hold (x exclusive), the order for
--             which it asked (r reentrant, f fair), and its client
--   token     fencing token of the hold
--   last      last token that the hold may give out inside its client, if it may more than one
--   since     when its owner got it, in milliseconds, by the latest word of its client, if that
--             is not the moment of the token
--   released  ids of the latest holds that were released, before the current one: a release
--             that runs again is told so, and not that its hold was lost
--   lost      last token up to which holds may have ended without a release: the latest that
--             did, or those before the data was lost
--   forced    id of the call of mutex-evict.lua that was the latest to end a hold
--
-- and, only while requests wait, the queue:
--
--   head tail  ids of the first and the last request that waits
--   w:<id>     place of a request: "previous next number alive lease block timeout owner",
--              where previous and next are ids or -, alive is when the place ends unless
--              its client renews it before, and timeout is for how long its client has it
--              last without that, in milliseconds
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

-- Above this Lua's numbers have gaps.
local LARGEST = 9007199254740992

local function whole(number)
  return string.format('%.0f', number)
end

-- Ends the script with an error whose first word is its kind, as in errors of Redis.
local function damaged()
  error('-DAMAGED the data of this lock in Redis are damaged; nothing was changed. '
    .. 'Delete its key when nobody uses the lock', 0)
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

-- A lock as its fields have it.
local function lock_of(key, f)
  local id, ends = f[1] or '2:', tonumber(string.sub(f[2] or '2:0', 3))
  if string.sub(id, -2) == ' +' then
    id = string.sub(id, 1, -3)
  end
  local token, last = tonumber(f[4] or 0), tonumber(f[5] or 0)
  local since, lost = tonumber(f[6] or 0), tonumber(f[8] or 0)
  if not (ends and token and last and since and lost) or (id ~= '2:' and not f[4])
      or not f[9] ~= not f[10] or math.max(ends, token, last, since, lost) > LARGEST then
    damaged()
  end
  local head, tail = f[9] or NOBODY, f[10] or NOBODY
  return {
    key = key, hold = f[1], id = id ~= '2:' and id, ends = ends, owner = f[3], token = token,
    last = math.max(token, last), since = f[6] and since, released = f[7] or '',
    lost = f[8] and lost, head = head, tail = tail,
    -- what write() has to compare with, the places that were looked at, by id, and what it is to do
    old_last = f[5], old_since = f[6], old_head = head, old_tail = tail,
    places = {}, moved = {}, fields = {}, messages = {}
  }
end

-- The mode and the client of a hold.
local function owner_of(lock)
  local mode, client = string.match(lock.owner or '', '^(%l%l) (.+)$')
  if not mode then
    damaged()
  end
  return mode, client
end

-- Reads what every step needs. Answers nil and an error if the key is not a lock, or not one of
-- this layout.
local function read(key)
  local f = redis.pcall('HMGET', key, 'hold', 'until', 'owner', 'token', 'last', 'since', 'released',
    'lost', 'head', 'tail')
  if f.err then
    return nil, f
  end
  local ours = f[1] and string.sub(f[1], 1, 2) == '2:'
  if ours and string.sub(f[2] or '2:', 1, 2) == '2:' or not (f[1] or f[2] or f[4]) then
    return lock_of(key, f)
  end
  local layout = string.match(not ours and f[1] or f[2] or '', '^(%d+):')
  if not layout then
    damaged()
  end
  return nil, redis.error_reply('LAYOUT this lock is written in layout ' .. layout
    .. ', and this client knows layout 2; update the older application')
end

-- Whether a problem of read() means that a key is no lock of this layout: then nobody holds it
-- whom a client of this layout could know.
local function is_foreign(problem)
  return string.find(problem.err, 'WRONGTYPE', 1, true) or string.find(problem.err, 'LAYOUT', 1, true)
end

-- When the client got a hold.
local function since(lock)
  return lock.since or math.floor(lock.token / 1000)
end

-- Sends one client a message, after all is written.
local function tell(lock, client, ...)
  lock.messages[#lock.messages + 1] = { channels .. client, table.concat({ '2', ... }, ' ') }
end

-- Notes what remains to be written of the queue.
local function write_queue(lock)
  for id, place in pairs(lock.moved) do
    set(lock, 'w:' .. id, table.concat({ place.previous, place.next, whole(place.number),
      whole(place.alive), whole(place.lease), whole(place.block), whole(place.timeout), place.mode,
      place.client }, ' '))
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

-- Notes what remains to be written of the hold, and what only some holds have.
local function write_hold(lock, lifetime)
  if lock.last > lock.token then
    set(lock, 'last', whole(lock.last))
  elseif lock.old_last then
    drop(lock, 'last')
  end
  if lock.since then
    set(lock, 'since', whole(lock.since))
  elseif lock.old_since then
    drop(lock, 'since')
  end
  local careful = is_awaited(lock) or lock.last > lock.token or lock.since or lifetime > 2 * retention
  local hold = careful and (lock.id or '2:') .. ' +' or lock.id or '2:'
  if hold ~= lock.hold then
    set(lock, 'hold', hold)
  end
end

-- Writes all changes, once. The key lives as long as anything in it matters, and the retention
-- on top. When memory is full Redis refuses a script's first write unless it is HDEL or PEXPIRE:
-- what drops a field passes, and so does the renewal of a request that the key knows.
local function write(lock, known)
  local used = math.max(lock.ends - now, 0)
  if is_awaited(lock) then
    used = math.max(used, timeout)
  end
  local lifetime = whole(used + retention)
  write_queue(lock)
  write_hold(lock, used + retention)
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
    local limited = redis.pcall('PEXPIRE', lock.key, lifetime)
    if type(limited) == 'table' then
      -- The user may not run it. What is new would last for ever, and nobody knows of the grant.
      if lock.granted then
        redis.call('HDEL', lock.key, 'until')
      end
      for i = 1, lock.hold and 0 or #new, 2 do
        redis.call('HDEL', lock.key, new[i])
      end
      error(limited.err, 0)
    end
  end
  -- A refused PUBLISH must not undo what was done before it.
  for _, message in ipairs(lock.messages) do
    redis.pcall('PUBLISH', message[1], message[2])
  end
end

-- Writes what was changed. Where nothing was, a write that changes nothing finds out whether this is
-- a replica, which may not know the latest holds: then that error is answered.
local function settle(lock)
  if lock.changed then
    return write(lock, lock.known)
  end
  local written = redis.pcall('HDEL', lock.key, '')
  return type(written) == 'table' and string.find(written.err, 'READONLY', 1, true) and written
end

-- Whether a hold that is not there any more was released. Later ones may be many.
local function was_released(lock, id, token)
  return (lock.id == id and lock.ends == 0) or string.find(lock.released, id, 1, true)
    or (lock.lost and token > lock.lost and token < lock.token)
end

-- Ends the hold. What remains is one token, before which all others lie.
local function end_hold(lock)
  drop(lock, 'until')
  if lock.last > lock.token then
    lock.token = lock.last
    set(lock, 'token', whole(lock.token))
  end
  lock.ends, lock.since = 0, nil
end

-- Notes the tokens of a hold that its client has got at a moment.
local function set_tokens(lock, token, last, moment)
  lock.token, lock.last = token, last
  set(lock, 'token', whole(token))
  -- Close enough for a person who reads it.
  lock.since = math.abs(math.floor(token / 1000) - moment) > 1000 and moment or nil
end

-- The tokens of the next hold. A token is a moment in microseconds: later than all tokens before
-- it and not later than now, so tokens grow even if all data was lost. A client with threads to
-- hand the lock to gets the moments since the latest token, at most as many as block says; where
-- there is no latest token, it may be the data that was lost, so it gets this very moment.
local function next_tokens(lock, block)
  local token = lock.last > 0 and math.max(lock.last + 1, micros - block + 1) or micros
  return token, math.max(token, math.min(micros, token + block - 1))
end

-- Gives the lock to a request.
local function grant(lock, id, mode, client, lease, token, last)
  local lost = lock.lost
  if lock.id and lock.ends > 0 then
    lost = lock.last
  elseif not lost then
    lost = (lock.token > 0 and lock.token or token) - 1
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
  lock.granted = true
  lock.id, lock.client, lock.owner, lock.ends = id, client, mode .. ' ' .. client, now + lease
  set_tokens(lock, token, last, now)
  set(lock, 'until', '2:' .. whole(lock.ends))
  set(lock, 'owner', lock.owner)
end

-- The place of a waiting request, or false.
local function place_of(lock, id)
  if lock.places[id] == nil then
    local text = is_awaited(lock) and redis.call('HGET', lock.key, 'w:' .. id)
    local place = false
    if text then
      local previous, next, number, alive, lease, block, patience, mode, client =
        string.match(text, '^(%S+) (%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%l%l) (.+)$')
      if not previous then
        damaged()
      end
      place = {
        previous = previous, next = next, number = tonumber(number), alive = tonumber(alive),
        lease = tonumber(lease), block = tonumber(block), timeout = tonumber(patience),
        mode = mode, client = client
      }
    end
    lock.places[id] = place
  end
  return lock.places[id]
end

-- The place of a request that another place, or the hash, says to wait.
local function linked_place(lock, id)
  return place_of(lock, id) or damaged()
end

-- Puts a request that has no place yet at the end of the queue.
local function join(lock, id, mode, client, lease, block)
  local number = 1
  if is_awaited(lock) then
    local last = linked_place(lock, lock.tail)
    last.next, number = id, last.number + 1
    lock.moved[lock.tail] = last
  else
    lock.head = id
  end
  local place = {
    previous = lock.tail, next = NOBODY, number = number, alive = now + timeout,
    lease = lease, block = block, timeout = timeout, mode = mode, client = client
  }
  lock.tail, lock.places[id], lock.moved[id] = id, place, place
end

-- Renews the place of a request.
local function stay(lock, id)
  local place = place_of(lock, id)
  place.alive, place.timeout, lock.moved[id] = now + timeout, timeout, place
end

-- Takes a request out of the queue, wherever it stands. What the first place names as the one
-- before it means nothing.
local function leave(lock, id)
  local place = linked_place(lock, id)
  drop(lock, 'w:' .. id)
  lock.places[id], lock.moved[id] = false, nil
  if id == lock.head then
    lock.head = place.next
  else
    local previous = linked_place(lock, place.previous)
    previous.next, lock.moved[place.previous] = place.next, previous
    if id ~= lock.tail then
      local next = linked_place(lock, place.next)
      next.previous, lock.moved[place.next] = place.previous, next
    end
  end
  if id == lock.tail then
    lock.tail = is_awaited(lock) and place.previous or NOBODY
  end
end

-- Hands a lock that nobody holds to the first waiter that kept its place. Dead ones are dropped
-- on the way, each once. The hold starts with a lease no longer than the receiver's place lasts:
-- if it has just died that is what it costs, and a live one extends it. One message goes to the
-- receiver's client, none if the receiver is the request that asks.
local function hand_over(lock, asking)
  while is_awaited(lock) and not is_held(lock) do
    local id = lock.head
    local place = linked_place(lock, id)
    leave(lock, id)
    if place.alive > now then
      local lease = id == asking and place.lease or math.min(place.lease, place.timeout)
      grant(lock, id, place.mode, place.client, lease, next_tokens(lock, place.block))
    end
  end
  if is_held(lock) and lock.id ~= asking then
    tell(lock, lock.client, 'granted', lock.id, whole(lock.token), whole(lock.last),
      whole(lock.ends - now), is_awaited(lock) and 1 or 0, lock.key)
  end
end

-- How a request stands, as six words: HOLDS | WAITS | NONE, milliseconds left of the current
-- hold, first token if it holds, last token of the lock, 1 if others wait, places before it.
local function standing(lock, id)
  local left = math.max(lock.ends - now, 0)
  local state, token, before = 'NONE', 0, 0
  if lock.id == id and left > 0 then
    state, token = 'HOLDS', lock.token
  else
    local place = place_of(lock, id)
    if place then
      state = 'WAITS'
      if id ~= lock.head then
        before = place.number - linked_place(lock, lock.head).number
      end
    end
  end
  return string.format('%s %.0f %.0f %.0f %d %d', state, left, token, lock.last,
    is_awaited(lock) and 1 or 0, before)
end
