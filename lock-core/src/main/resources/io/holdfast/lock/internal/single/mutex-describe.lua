-- mutex-describe: lists who holds each of some locks, for an operator. Changes nothing.
--
-- KEYS[i]  lock hash  <prefix>lock:<name>
-- ARGV[1]  strict     1 if it is an error when a key is not a lock, or damaged; else nobody holds it
--
-- Returns  { now, for each key eight values: id of the hold or '' if nobody holds it, client,
--          mode, token, since, milliseconds left, requests that wait, last token … }
-- Repeat   safe
-- Clock    the server's only
local timeout = 0
--#include mutex.lua
local FIELDS = { 'hold', 'until', 'owner', 'token', 'last', 'since', 'released', 'lost', 'forced', 'head',
  'tail' }

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
  local waiters = redis.call('HLEN', key) - fields
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
