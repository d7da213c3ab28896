-- lock-queue: lists who waits for a lock, in order, for an operator. Changes nothing; a
-- replica answers with an error.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  limit      how many at most, counted from the head
--
-- Returns  { now, for each waiter { 1 if it keeps its place, else 0; mode; units; limit; callers;
--          client; id of its request } … }
-- Repeat   safe
-- Clock    the server's only
--#include lock.lua

local lock, problem = read(KEYS[1])
problem = problem or stale(KEYS[1])
if problem then return problem end
local answer, id = { now }, lock.head
while id ~= NOBODY and #answer <= tonumber(ARGV[1]) do
  local place = linked_place(lock, id)
  answer[#answer + 1] = { place.valid > now and 1 or 0, place.mode, place.units, place.limit, place.callers,
    plain(place.client), id }
  id = place.next
end
return answer
