-- mutex-release: gives up what a request has, the lock or its place in the queue, and hands
-- the lock to the next live waiter. A client whose own threads still wait joins the end of
-- the queue again with a new request, in the same step. A step of mutex-request.lua.
--
-- key     lock hash  <prefix>lock:<name>
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
local function release(key, client, id, token, next)
  local lock, problem = read(key)
  if not lock then
    return nil, problem
  end
  local status
  if lock.id == id and lock.ends > 0 then
    end_hold(lock)
    if next then
      join(lock, next.id, client, next.type, next.lease, next.block)
    end
    hand_over(lock, next and next.id)
    write(lock)
    status = 'RELEASED'
  elseif place_of(lock, id) then
    leave(lock, id)
    write(lock)
    status = 'LEFT'
  else
    status = was_released(lock, id, token) and 'RELEASED' or 'GONE'
  end
  local line = id .. ' ' .. status
  return next and line .. ' ' .. whole(now) .. ' ' .. standing(lock, next.id) or line
end
