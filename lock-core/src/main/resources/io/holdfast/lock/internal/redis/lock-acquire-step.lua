-- lock-acquire-step: grants a lock that has room for the request, or lets it wait. Also how a
-- request that waits asks again. What lock-acquire.lua does where its quick ways do not apply.
--
-- lock  as read(); to be settled afterwards
-- id    request id, new for every acquisition
-- wish  as wish_of(); with valid 0 to ask again for a request that waits, which never makes it join
--       a second time. Where it has max, it does not join where so many callers wait
--
-- Returns  '<id> <now> <standing>' (see lock.lua); NONE means that it does not wait
--          '<id> <now> LATE' after the deadline, or if this request's hold has ended
--          '<id> <now> FULL <callers>' if so many wait that it does not
-- Repeat   safe: answers how the request stands
-- Memory   refused when memory is full and the key is new, with nothing changed
-- Clock    the server's only
local function is_known(lock, id)
  return member_of(lock, id) or place_of(lock, id) or lock.former == id or string.find(lock.released, id, 1, true)
end

local function acquire(lock, id, wish)
  purge(lock)
  heard(lock, id, '')
  local joins = now <= wish.valid and not is_known(lock, id)
  local late = not (joins or member_of(lock, id) or place_of(lock, id))
  local head = lock.head ~= NOBODY and linked_place(lock, lock.head)
  local crowd = joins and crowd_before(lock, id, wish)
  if joins and not head and fits(lock, wish) then
    grant(lock, id, wish, wish.lease)
  elseif joins and (wish.callers > 0 and not crowd or head and (head.valid <= now or fits(lock, head))) then
    -- Who does not wait only does so where the queue moves on.
    join(lock, id, wish)
  elseif place_of(lock, id) then
    stay(lock, id, wish.callers)
  end
  advance(lock, id)
  crowd = crowd and not member_of(lock, id) and crowd_before(lock, id, wish)
  if place_of(lock, id) and (wish.callers == 0 or crowd) then
    leave(lock, id)
    advance(lock)
  end
  tell_holders(lock, id)
  return id .. ' ' .. whole(now) .. ' ' .. (late and 'LATE' or crowd and 'FULL ' .. crowd or standing(lock, id))
end
