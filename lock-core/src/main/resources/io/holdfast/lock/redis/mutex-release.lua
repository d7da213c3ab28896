-- mutex-release: gives up what a request has, the lock or its place in the queue, and hands
-- the lock to the next live waiter. A client whose own threads still wait joins the end of
-- the queue again with a new request, in the same step.
--
-- KEYS[1]   lock hash   <prefix>lock:<name>
-- ARGV[1]   request id  as given to mutex-acquire
-- ARGV[2]   timeout     milliseconds that a waiter's place lasts without a sign of life
-- ARGV[3]   retention   milliseconds that the key outlives its use
-- ARGV[4]   channels    prefix of the clients' channels
-- ARGV[5]   next id     id of the new request; empty for none, then the next four are empty
-- ARGV[6]   client      application@host/random
-- ARGV[7]   type        reentrant | fair
-- ARGV[8]   lease       milliseconds, > 0
-- ARGV[9]   block       tokens wanted, >= 1
-- ARGV[10]  token       fencing token of the hold to release; 0 or absent if it never was one
--
-- Returns  { now, RELEASED | LEFT (the queue) | GONE (had nothing any more), standing of the
--          new request (six values, see mutex.lua) }
-- Repeat   safe: answers RELEASED again and how the new request stands
-- Memory   passes when memory is full: the first write is HDEL
-- Clock    the server's only
--#include mutex.lua
local lock = KEYS[1]
local id, timeout, retention, channels, next_id, token =
  ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[10] or 0)

local hold, problem = read(lock)
if not hold then
  return problem
end

local place = place_of(lock, hold, id)
if hold.id == id and hold.ends > 0 then
  redis.call('HDEL', lock, 'until', 'since', 'client', 'type')
  hold.ends = 0
  if next_id ~= '' then
    join(lock, hold, next_id, ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9]), timeout)
  end
  if is_awaited(hold) then
    hand_over(lock, hold, timeout, channels, next_id)
  end
elseif place then
  leave(lock, hold, id, place)
else
  return { now, was_released(hold, id, token) and 'RELEASED' or 'GONE', standing(lock, hold, next_id) }
end
keep(lock, hold, timeout, retention)
return { now, place and 'LEFT' or 'RELEASED', standing(lock, hold, next_id) }
