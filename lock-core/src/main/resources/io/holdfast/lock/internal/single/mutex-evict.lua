-- mutex-evict: takes a lock from whoever holds it, notifies that client, and hands the lock to
-- the next live waiter.
--
-- KEYS[1]  lock hash   <prefix>lock:<name>
-- ARGV[1]  request id  of the hold to end
-- ARGV[2]  timeout     milliseconds that a waiter's place lasts without renewal
-- ARGV[3]  retention   milliseconds that the key outlives its use
-- ARGV[4]  channels    prefix of the clients' channels
-- ARGV[5]  call        random id of this call
--
-- Returns  { now, 1 if that hold was ended, else 0 }
-- Repeat   safe: ends nothing more, and has the same answer until another call ends a hold
-- Memory   passes when memory is full: the first write is HDEL
-- Clock    the server's only
local key, id, timeout, retention, channels = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local call = ARGV[5]
--#include mutex.lua

local lock, problem = read(key)
if not lock then
  return problem
end
if not is_held(lock) or lock.id ~= id then
  return { now, redis.call('HGET', key, 'forced') == call and 1 or 0 }
end
-- First, so that the previous owner is notified before a message lets the next one run.
local _, client = owner_of(lock)
tell(lock, client, 'forced', id, key)
end_hold(lock)
lock.id, lock.lost = false, lock.token
set(lock, 'lost', whole(lock.lost))
set(lock, 'forced', call)
hand_over(lock)
write(lock)
return { now, 1 }
