-- mutex-acquire: grants a lock that is free, or lets the request wait for it. Also how a
-- request that waits asks again. A step of mutex-request.lua.
--
-- lock       lock hash  <prefix>lock:<name>
-- client     application@host/random
-- id         request id, new for every acquisition
-- type       reentrant | fair
-- lease      milliseconds, > 0
-- block      tokens wanted, >= 1
-- waits      whether to join the queue if the lock is not to be had
-- not_after  server time in milliseconds after which nothing new may be done; 0 to ask again
--            for a request that waits, which never makes it join a second time
--
-- Returns  '<id> <now> <standing>' (six words, see mutex.lua); NONE means held by another
--          '<id> <now> LATE' after the deadline, or if this request's hold has ended
--          nothing and the error if the key is not a hash
-- Repeat   safe: answers how the request stands
-- Memory   refused when memory is full, with nothing changed; asking again passes
-- Clock    the server's only
local function acquire(lock, client, id, type, lease, block, waits, not_after)
  local hold, problem = read(lock)
  if not hold then
    return nil, problem
  end
  local function answer(known)
    return id .. ' ' .. whole(now) .. ' ' .. standing(lock, hold, id, known)
  end
  if hold.id == id and is_held(hold) then
    return answer()
  end

  local place = place_of(lock, hold, id)
  if not place and (now > not_after or hold.id == id or was_released(hold, id, 0)) then
    return id .. ' ' .. whole(now) .. ' LATE'
  end
  if not is_held(hold) and not is_awaited(hold) then
    grant(lock, hold, id, client, type, lease, block)
    keep(lock, hold)
    return answer()
  end
  if is_held(hold) and not place and not waits then
    return answer()
  end

  local head = hold.head
  if place then
    keep(lock, hold)
    place.lease, place.block = lease, block
    stay(lock, id, place)
  elseif waits then
    place = join(lock, hold, id, client, type, lease, block)
  end
  if is_held(hold) then
    if head == NOBODY or head == id then
      tell(hold.client, 'awaited', hold.id, lock)
    end
    keep(lock, hold)
    return answer(place)
  end

  hand_over(lock, hold, id)
  if not is_held(hold) then
    grant(lock, hold, id, client, type, lease, block)
  end
  keep(lock, hold)
  return answer()
end
