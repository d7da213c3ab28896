-- mutex-acquire: grants a lock that is free, or lets the request wait for it. Also how a
-- request that waits asks again.
--
-- KEYS[1]   lock hash   <prefix>lock:<name>
-- ARGV[1]   request id  new for every acquisition
-- ARGV[2]   client      application@host/random
-- ARGV[3]   type        reentrant | fair
-- ARGV[4]   lease       milliseconds, > 0
-- ARGV[5]   block       tokens wanted, >= 1
-- ARGV[6]   waits       1 to join the queue if the lock is not to be had, else 0
-- ARGV[7]   not after   server time in milliseconds after which nothing new may be done; 0 to ask
--                       again for a request that waits, which never makes it join a second time
-- ARGV[8]   timeout     milliseconds that a waiter's place lasts without a sign of life
-- ARGV[9]   retention   milliseconds that the key outlives its use
-- ARGV[10]  channels    prefix of the clients' channels
--
-- Returns  { now, standing (six values, see mutex.lua) }; NONE means held by another
--          { now, 'LATE' } after the deadline, or if this request's hold has ended
-- Repeat   safe: answers how the request stands
-- Memory   refused when memory is full, with nothing changed; asking again passes
-- Clock    the server's only
--#include mutex.lua
local lock = KEYS[1]
local id, client, type, lease, block, waits, not_after, timeout, retention, channels =
  ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6] == '1',
  tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]

local hold, problem = read(lock)
if not hold then
  return problem
end
if hold.id == id and is_held(hold) then
  return { now, standing(lock, hold, id) }
end

local place = place_of(lock, hold, id)
if not place and (now > not_after or hold.id == id or was_released(hold, id, 0)) then
  return { now, 'LATE' }
end
if not is_held(hold) and not is_awaited(hold) then
  grant(lock, hold, id, client, type, lease, block)
  keep(lock, hold, timeout, retention)
  return { now, standing(lock, hold, id) }
end
if is_held(hold) and not place and not waits then
  return { now, standing(lock, hold, id) }
end

local head = hold.head
if place then
  keep(lock, hold, timeout, retention)
  place.lease, place.block = lease, block
  stay(lock, id, place, timeout)
elseif waits then
  join(lock, hold, id, client, type, lease, block, timeout)
end
if is_held(hold) then
  if head == NOBODY or head == id then
    tell(channels, hold.client, 'awaited', hold.id, lock)
  end
else
  hand_over(lock, hold, timeout, channels, id)
  if not is_held(hold) then
    grant(lock, hold, id, client, type, lease, block)
  end
end
keep(lock, hold, timeout, retention)
return { now, standing(lock, hold, id) }
