-- mutex-waiters: tells an operator who waits for a lock, in order. Changes nothing.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  limit      places to look at, counted from the head; given-up places count too
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
for number = hold.head, math.min(hold.tail, hold.head + limit - 1) do
  local id = redis.call('HGET', lock, 'q:' .. whole(number))
  if id then
    local alive, type, client =
      string.match(redis.call('HGET', lock, 'w:' .. id), '^%d+ (%d+) %d+ %d+ (%a+) (.*)$')
    table.insert(answer, tonumber(alive) > now and 1 or 0)
    table.insert(answer, type)
    table.insert(answer, client)
  end
end
return answer
