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
local lock, limit = KEYS[1], tonumber(ARGV[1])

local answer = { now }
local hold, problem = read(lock)
if not hold then
  return problem
end
local id = hold.head
while id ~= NOBODY and #answer <= 3 * (limit - 1) + 1 do
  local place = place_of(lock, hold, id)
  for _, value in ipairs({ place.alive > now and 1 or 0, place.type, place.client }) do
    table.insert(answer, value)
  end
  id = place.next
end
return answer
