-- mutex-waiters: tells an operator who waits for a lock, in order. Changes nothing.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  limit      how many at most, counted from the head
--
-- Returns  { now, for each waiter three values: 1 if it keeps its place, else 0; type;
--          client … }
-- Repeat   safe
-- Clock    the server's only
--#include mutex.lua
local key, limit = KEYS[1], tonumber(ARGV[1])

local lock, problem = read(key)
if not lock then
  return problem
end
local answer = { now }
local id = lock.head
while id ~= NOBODY and #answer <= 3 * (limit - 1) + 1 do
  local place = place_of(lock, id)
  for _, value in ipairs({ place.alive > now and 1 or 0, place.type, place.client }) do
    table.insert(answer, value)
  end
  id = place.next
end
return answer
