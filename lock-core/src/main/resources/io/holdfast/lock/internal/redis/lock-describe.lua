-- lock-describe: lists who holds each of some locks. Changes nothing; a replica answers with
-- an error.
--
-- KEYS[i]  lock hash  <prefix>lock:<name>
-- ARGV[1]  strict     1 if it is an error when a key is not a lock, or damaged; else nobody holds it
--
-- Returns  { now, for each key { requests that wait, holds that are not listed, units that all holds
--          have, { for each hold that is listed, at most 100, { id, client, mode, units, limit, token,
--          last, since, milliseconds left, those of the whole lease if it is known to be
--          renewed, else 0 } … } } … }
-- Repeat   safe
-- Clock    the server's only
--#include lock.lua

-- How many holds of a lock are listed.
local ROWS = 100

-- What is said of a lock. Nil and an error if the key is not one.
local function describe(key)
  local lock, problem = read(key)
  if problem then return nil, problem end
  local rows, holds, units, others = {}, 0, 0, redis.call('HGET', key, 'forced') and 1 or 0
  for i = 1, #HEADER do
    others = others + (lock.header[i] and 1 or 0)
  end
  for id, each in pairs(members_of(lock)) do
    others = others + (lock.kind ~= 'x' and 1 or 0)
    if each.ends > now then
      holds, units = holds + 1, units + each.units
    end
    if each.ends > now and holds <= ROWS then
      local token, last = tokens_of(lock, each)
      rows[holds] = { id, plain(each.client), each.mode, each.units, each.limit, token, last,
        lock.since or math.floor(each.stamp / 1000), each.ends - now,
        tonumber(string.match(each.client, '#%d+%.%x+%.(%w+)%.%w+$') or '0', 36) }
    end
  end
  -- What is neither a hold nor a field of the lock is a place in the queue.
  local waiters = holds > 0 and redis.call('HLEN', key) - others or 0
  return { waiters, holds - #rows, units, rows }
end

local refused = stale(KEYS[1])
if refused then return refused end
local answer = { now }
for i, key in ipairs(KEYS) do
  local done, values, problem = pcall(describe, key)
  -- Damaged data of one lock must not hide the others.
  if not done and (ARGV[1] == '1' or not string.find(tostring(values), 'DAMAGED', 1, true)) then
    error(values, 0)
  elseif problem and ARGV[1] == '1' then
    return problem
  end
  answer[i + 1] = done and values or { 0, 0, 0, {} }
end
return answer
