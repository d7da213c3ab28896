-- lock-places: the steps that change who waits for a lock, and advance(), which lets them in. Part of
-- lock.lua; each takes a lock as read() has it.

-- What a request asks for, as texts have it: '<mode> <lease> <units> <limit> <block> <callers> <valid>'.
-- The lease is in milliseconds, block how many tokens are wanted, callers how many wait for it: with 0
-- it does not stay in the queue. It may join until valid, in milliseconds of the server.
local WISH = '(%l%l) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)'

local PLACE = '^(%S+) (%S+) (%d+) ' .. WISH .. ' (.+)$'

local function wish_of(client, mode, lease, units, limit, block, callers, valid)
  return {
    client = client, mode = mode, lease = tonumber(lease), units = tonumber(units), limit = tonumber(limit),
    block = tonumber(block), callers = tonumber(callers), valid = tonumber(valid)
  }
end

-- The place of a waiting request, or false: what it asks for, and where it stands.
local function place_of(lock, id)
  if lock.places[id] == nil then
    local text = lock.head ~= NOBODY and redis.call('HGET', lock.key, 'w:' .. id)
    local place = false
    if text then
      local previous, next, patience, mode, lease, units, limit, block, callers, valid, client =
        string.match(text, PLACE)
      place = wish_of(client or damaged(), mode, lease, units, limit, block, callers, valid)
      place.previous, place.next, place.timeout, place.stored = previous, next, tonumber(patience), true
    end
    lock.places[id] = place
  end
  return lock.places[id]
end

-- The place of a request that another place, or the hash, says to wait.
local function linked_place(lock, id)
  return place_of(lock, id) or damaged()
end

-- How many callers wait beside a request that does not want to wait because of them, counted no
-- further; else false. Those of dead places do not.
local function crowd_before(lock, id, wish)
  local count, each = 0, wish.max and wish.callers > 0 and lock.head or NOBODY
  while each ~= NOBODY and count < wish.max do
    local place = linked_place(lock, each)
    count, each = count + (each ~= id and place.valid > now and place.callers or 0), place.next
  end
  return wish.max and count >= wish.max and count
end

-- Renews the place of a request. What it is granted is tied to the latest session of its client.
local function stay(lock, id, callers, session)
  local place = place_of(lock, id)
  place.client = later(place.client, session)
  place.valid, place.timeout, place.callers, lock.moved[id] = now + timeout, timeout, callers, place
end

-- Puts a request that has no place yet at the end of the queue.
local function join(lock, id, wish)
  wish.previous, wish.next = lock.tail, NOBODY
  if lock.head ~= NOBODY then
    local last = linked_place(lock, lock.tail)
    last.next, lock.moved[lock.tail] = id, last
  else
    lock.head = id
  end
  lock.tail, lock.places[id] = id, wish
  stay(lock, id, wish.callers)
end

-- Takes a request out of the queue, wherever it stands. What the first place names as the one
-- before it means nothing.
local function leave(lock, id)
  local place = linked_place(lock, id)
  lock.places[id], lock.moved[id] = false, nil
  if place.stored then
    lock.fields['w:' .. id] = false
  end
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
    lock.tail = lock.head ~= NOBODY and place.previous or NOBODY
  end
end

-- Whether a request may hold the lock beside those who do.
local function fits(lock, wish)
  local kind = kind_of(wish.mode)
  return not lock.kind or (lock.kind == kind
    and (kind == 's' or (kind == 'p' and lock.used + wish.units <= wish.limit)))
end

-- Grants what fits, from the head of the queue. Dead places are dropped on the way, each once. With
-- a reader at the head all readers behind it are granted, up to a fair request. A hold starts with
-- a lease no longer than the receiver's place lasts: if it has just died that is what it costs,
-- and a live one extends it. One message goes to each receiver's client, none to the request that
-- asks.
local function advance(lock, asking)
  local granted, turn, id = {}, false, lock.head
  while (turn or id ~= NOBODY) and #granted < GRANTS do
    local place = id ~= NOBODY and linked_place(lock, id)
    local kind = place and kind_of(place.mode)
    if turn and (not place or string.sub(place.mode, 2) == 'f') then
      turn, id = false, lock.head
    elseif turn and kind ~= 's' then
      id = place.next
    else
      if place.valid > now and not fits(lock, place) then break end
      leave(lock, id)
      if place.valid > now then
        grant(lock, id, place, id == asking and place.lease or math.min(place.lease, place.timeout))
        granted[#granted + 1], turn = id, kind == 's'
      end
      id = turn and place.next or lock.head
    end
  end
  for _, each in ipairs(granted) do
    if each ~= asking then
      local member = lock.members[each]
      local token, last = tokens_of(lock, member)
      member.told = true
      tell(lock, member.client, 'granted', each, whole(token), whole(last), whole(member.ends - now),
        lock.head ~= NOBODY and 1 or 0, lock.key)
    end
  end
end

-- Tells all who hold the lock that a request waits for them, if it is the first. Who is granted in
-- the same run hears it by that message.
local function tell_holders(lock, id)
  for holder, member in pairs(id == lock.head and members_of(lock) or {}) do
    if member and not member.told then
      tell(lock, member.client, 'awaited', holder, lock.key)
    end
  end
end

-- How a request stands, as five words: HOLDS | WAITS | NONE, milliseconds left of its hold, or else
-- until the lock may be free, first token and last one if it holds, or else 0 and the latest of the
-- lock, 1 if others wait.
local function standing(lock, id)
  local member, state, ends = member_of(lock, id), 'NONE', lock.kind and lock.due or 0
  local token, last = 0, lock.last
  if member then
    state, ends, token, last = 'HOLDS', member.ends, tokens_of(lock, member)
  elseif place_of(lock, id) then
    state = 'WAITS'
  end
  return string.format('%s %.0f %.0f %.0f %d', state, math.max(ends - now, 0), token, last,
    lock.head ~= NOBODY and 1 or 0)
end
