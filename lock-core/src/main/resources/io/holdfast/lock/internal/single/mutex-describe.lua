-- mutex-describe: lists who holds each of some locks, for an operator. Changes nothing.
--
-- KEYS[i]  lock hash  <prefix>lock:<name>
-- ARGV[1]  strict     1 if it is an error when a key is not a lock, or damaged; else nobody holds it
-- ARGV[2]  asking     client that knows for itself how many callers wait behind its places
--
-- Returns  { now, for each key eight values: id of the hold or '' if nobody holds it, client,
--          mode, token, since, milliseconds left, callers that wait, last token … }. A place
--          of the asking client counts as one caller, and so does a dead one, and each behind
--          the first 100 of a lock and the first 5000 of the call
-- Repeat   safe
-- Clock    the server's only
local timeout = 0
--#include mutex.lua
local FIELDS = { 'hold', 'until', 'owner', 'token', 'last', 'since', 'released', 'lost', 'forced', 'head',
  'tail' }

-- At most so many places are read, per lock and in all: Redis is blocked meanwhile.
local MOST, left = 100, 5000

-- How many callers of other clients wait beyond one for each place. Those of a dead client do not.
-- Not by place_of, which ends the script where a place is damaged: that must not fail the list.
local function others_behind(lock)
  local others, id = 0, lock.head
  for _ = 1, is_awaited(lock) and math.min(MOST, left) or 0 do
    left = left - 1
    local next, alive, callers, client = string.match(redis.call('HGET', lock.key, 'w:' .. id) or '',
      '^%S+ (%S+) %d+ (%d+) %d+ %d+ (%d*) ?%l%l (.+)$')
    if next and client ~= ARGV[2] and tonumber(alive) > now then
      others = others + math.max(tonumber(callers) or 1, 1) - 1
    end
    if not next or next == NOBODY then
      break
    end
    id = next
  end
  return others
end

local FREE = { '', '', '', 0, 0, 0, 0, 0 }

-- Eight values that say who holds a lock. Nil and an error if the key is not a lock.
local function describe(key)
  local lock, problem = read(key)
  if problem then
    return nil, problem
  elseif not is_held(lock) then
    return FREE
  end
  local fields = 0
  for _, value in ipairs(redis.call('HMGET', key, unpack(FIELDS))) do
    fields = fields + (value and 1 or 0)
  end
  -- What is not one of these fields is a place in the queue.
  local waiters = redis.call('HLEN', key) - fields + others_behind(lock)
  local mode, client = owner_of(lock)
  return { lock.id or '', client, mode, lock.token, since(lock), lock.ends - now, waiters, lock.last }
end

-- The same, where damaged data of one lock must not hide the others.
local function describe_if_whole(key)
  local whole, values = pcall(describe, key)
  if not whole and not string.find(tostring(values), 'DAMAGED', 1, true) then
    error(values, 0)
  end
  return whole and values
end

local answer = { now }
for _, key in ipairs(KEYS) do
  local values, problem
  if ARGV[1] == '1' then
    values, problem = describe(key)
  else
    values = describe_if_whole(key)
  end
  if problem then
    return problem
  end
  for _, value in ipairs(values or FREE) do
    table.insert(answer, value)
  end
end
return answer
