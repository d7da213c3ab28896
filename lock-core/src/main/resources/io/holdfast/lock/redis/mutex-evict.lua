-- mutex-evict: takes a lock from whoever holds it, tells that client, and hands the lock to
-- the next live waiter.
--
-- KEYS[1]  lock hash   <prefix>lock:<name>
-- ARGV[1]  request id  of the hold to end; empty for any
-- ARGV[2]  timeout     milliseconds that a waiter's place lasts without a sign of life
-- ARGV[3]  retention   milliseconds that the key outlives its use
-- ARGV[4]  channels    prefix of the clients' channels
--
-- Returns  { now, 1 if that hold was ended, else 0 }
-- Repeat   safe if the id is given; without it the next holder may lose the lock as well
-- Memory   passes when memory is full: the first write is HDEL
-- Clock    the server's only
local lock = KEYS[1]
local id, timeout, retention, channels = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
--#include mutex.lua

local hold, problem = read(lock)
if not hold then
  return problem
end
if not is_held(hold) or (id ~= '' and id ~= hold.id) then
  return { now, 0 }
end
local ousted, client = hold.id, hold.client
redis.call('HDEL', lock, 'hold', 'until', 'since', 'client', 'type')
hold.id, hold.ends, hold.lost = false, 0, math.max(hold.token, hold.last)
redis.call('HSET', lock, 'lost', whole(hold.lost))
if is_awaited(hold) then
  hand_over(lock, hold)
end
keep(lock, hold)
tell(client, 'forced', ousted, lock)
return { now, 1 }
