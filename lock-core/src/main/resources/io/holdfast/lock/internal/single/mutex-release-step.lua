-- mutex-release-step: gives up what a request has, the lock or its place in the queue, and hands
-- the lock to the next live waiter. A client whose own threads still wait joins the end of
-- the queue again with a new request, in the same step.
--
-- lock    as read(); to be written if this leaves it changed
-- id      request id, as given to acquire
-- token   fencing token of the hold to release; 0 if it never was one
-- next    the new request, or nil: its id, mode, client, lease and block, as for acquire
--
-- Returns  '<id> RELEASED', '<id> LEFT' (the queue) or '<id> GONE' (had nothing any more); for
--          a new request followed by ' <now> <its standing>' (see mutex.lua)
-- Repeat   safe: answers RELEASED again and how the new request stands
-- Memory   passes when memory is full: the first write is HDEL
-- Clock    the server's only
local function release(lock, id, token, next)
  local status
  if lock.id == id and lock.ends > 0 then
    end_hold(lock)
    if next then
      join(lock, next.id, next.mode, next.client, next.lease, next.block)
    end
    hand_over(lock, next and next.id)
    lock.changed = true
    status = 'RELEASED'
  elseif place_of(lock, id) then
    leave(lock, id)
    lock.changed = true
    status = 'LEFT'
  else
    status = was_released(lock, id, token) and 'RELEASED' or 'GONE'
  end
  local line = id .. ' ' .. status
  return next and line .. ' ' .. whole(now) .. ' ' .. standing(lock, next.id) or line
end

-- A lock as releases read it: what is no lock of this layout, nobody has.
local function read_for_release(key)
  local lock, problem = read(key)
  if not lock and is_foreign(problem) then
    lock = lock_of(key, {})
    lock.foreign = true
  end
  return lock, problem
end
