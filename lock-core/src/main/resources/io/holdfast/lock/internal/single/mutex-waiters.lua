-- mutex-waiters: lists who waits for a lock, in order, for an operator. Changes nothing.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  limit      how many at most, counted from the head
--
-- Returns  { now, for each waiter four values: 1 if it keeps its place, else 0; mode; client;
--          id of its request … }
-- Repeat   safe
-- Clock    the server's only
local key, limit, timeout = KEYS[1], tonumber(ARGV[1]), 0
--#include mutex.lua

local lock, problem = read(key)
if not lock then
  return problem
end
local answer = { now }
local id = lock.head
while id ~= NOBODY and #answer <= 4 * (limit - 1) + 1 do
  local place = linked_place(lock, id)
  for _, value in ipairs({ place.alive > now and 1 or 0, place.mode, place.client, id }) do
    table.insert(answer, value)
  end
  id = place.next
end
return answer
