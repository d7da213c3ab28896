-- lock-release-step: gives up what a request has, its hold or its place in the queue, and grants
-- those for whom there is room now. A client whose own callers still wait joins the end of the
-- queue with a new request in the same step, if that is in time and not known yet.
--
-- lock   as read_if_lock(); to be settled afterwards
-- id     request id, as given to acquire
-- stamp  of the hold to release; 0 if it never was one
-- next   id of the new request, or nil
-- wish   of the new request, as for acquire
--
-- Returns  '<id> RELEASED', '<id> LEFT' (the queue) or '<id> GONE' (had nothing any more); for
--          a new request followed by ' <now> <its standing>' (see lock.lua) or ' <now> LATE'
-- Repeat   safe: answers RELEASED again and how the new request stands
-- Memory   passes when memory is full
-- Clock    the server's only
local function release(lock, id, stamp, next, wish)
  local status = 'GONE'
  local had = member_of(lock, id) or place_of(lock, id)
  if member_of(lock, id) then
    status = 'RELEASED'
    end_hold(lock, id)
    remember(lock, id)
  elseif had then
    status = 'LEFT'
    leave(lock, id)
  elseif was_released(lock, id, stamp) then
    status = 'RELEASED'
  end
  -- A release that finds nothing ends nothing, not even what is over: if it runs again it shall be
  -- told the same.
  if had then
    purge(lock)
  end
  if next and not lock.foreign and now <= wish.valid and not is_known(lock, next) then
    join(lock, next, wish)
  end
  if had or next then
    advance(lock, next)
  end
  if not next then return id .. ' ' .. status end
  tell_holders(lock, next)
  return id .. ' ' .. status .. ' ' .. whole(now) .. ' ' .. string.gsub(standing(lock, next), '^NONE.*', 'LATE')
end
