-- mutex-acquire-step: grants a lock that is free, or lets the request wait for it. Also how a
-- request that waits asks again. What mutex-acquire.lua does where its quick way does not apply.
--
-- lock       as read(); to be written if this leaves it changed
-- id         request id, new for every acquisition
-- mode       kind and order, as in the owner of a hold
-- client     application@host/random
-- lease      milliseconds, > 0
-- block      tokens wanted, >= 1
-- waits      whether to join the queue
-- not_after  server time in milliseconds after which nothing new may be done; 0 to ask again
--            for a request that waits, which never makes it join a second time
--
-- Returns  '<id> <now> <standing>' (see mutex.lua); NONE means held by another
--          '<id> <now> LATE' after the deadline, or if this request's hold has ended
-- Repeat   safe: answers how the request stands
-- Memory   refused when memory is full, with nothing changed; asking again passes
-- Clock    the server's only
local function acquire(lock, id, mode, client, lease, block, waits, not_after)
  local function answer()
    return id .. ' ' .. whole(now) .. ' ' .. standing(lock, id)
  end
  if lock.id == id and is_held(lock) then
    return answer()
  end

  local place = place_of(lock, id)
  if not place and (now > not_after or lock.id == id or was_released(lock, id, 0)) then
    return id .. ' ' .. whole(now) .. ' LATE'
  end
  if is_held(lock) and not place and not waits then
    return answer()
  end

  local head = lock.head
  if place then
    place.lease, place.block = lease, block
    stay(lock, id)
  elseif waits and (is_held(lock) or is_awaited(lock)) then
    join(lock, id, mode, client, lease, block)
  end
  if not is_held(lock) then
    hand_over(lock, id)
    if not is_held(lock) then
      grant(lock, id, mode, client, lease, next_tokens(lock, block))
    end
  elseif head == NOBODY or head == id then
    local _, holder = owner_of(lock)
    tell(lock, holder, 'awaited', lock.id, lock.key)
  end
  -- A place that is due to an earlier request of this call is not in Redis yet.
  lock.changed, lock.known = true, lock.known or (place and not lock.changed)
  return answer()
end
