-- mutex-release: gives up what a request has, the lock or its place in the queue, and hands
-- the lock to the next live waiter. A client whose own threads still wait joins the end of
-- the queue again with a new request, in the same step. A step of mutex-request.lua.
--
-- lock    lock hash  <prefix>lock:<name>
-- client  application@host/random
-- id      request id, as given to acquire
-- token   fencing token of the hold to release; 0 if it never was one
-- next    the new request, or nil: its id, type, lease and block, as for acquire
--
-- Returns  '<id> RELEASED', '<id> LEFT' (the queue) or '<id> GONE' (had nothing any more); for
--          a new request followed by ' <now> <its standing>' (six words, see mutex.lua)
--          nothing and the error if the key is not a hash
-- Repeat   safe: answers RELEASED again and how the new request stands
-- Memory   passes when memory is full: the first write is HDEL
-- Clock    the server's only
local function release(lock, client, id, token, next)
  local hold, problem = read(lock)
  if not hold then
    return nil, problem
  end
  local function answer(status)
    local line = id .. ' ' .. status
    return next and line .. ' ' .. whole(now) .. ' ' .. standing(lock, hold, next.id) or line
  end

  if hold.id == id and hold.ends > 0 then
    redis.call('HDEL', lock, 'until', 'since', 'client', 'type')
    hold.ends = 0
    if next then
      join(lock, hold, next.id, client, next.type, next.lease, next.block)
    end
    if is_awaited(hold) then
      hand_over(lock, hold, next and next.id)
    end
    keep(lock, hold)
    return answer('RELEASED')
  end

  local place = place_of(lock, hold, id)
  if place then
    leave(lock, hold, id, place)
    keep(lock, hold)
    return answer('LEFT')
  end
  return answer(was_released(hold, id, token) and 'RELEASED' or 'GONE')
end
