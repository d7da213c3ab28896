-- mutex-describe: lists who holds each of some locks, for an operator. Changes nothing.
--
-- KEYS[i]  lock hash  <prefix>lock:<name>
-- ARGV[1]  strict     1 if it is an error when a key is not a lock; else nobody holds it
--
-- Returns  { now, for each key eight values: id of the hold or '' if nobody holds it, client,
--          mode, token, since, milliseconds left, requests that wait, last token … }
-- Repeat   safe
-- Clock    the server's only
local timeout = 0
--#include mutex.lua
local FIELDS = { 'hold', 'until', 'owner', 'token', 'last', 'since', 'released', 'lost', 'head', 'tail' }

local answer = { now }
for _, key in ipairs(KEYS) do
  local lock, problem = read(key)
  if problem and ARGV[1] == '1' then
    return problem
  end
  if lock and is_held(lock) then
    local fields = 0
    for _, value in ipairs(redis.call('HMGET', key, unpack(FIELDS))) do
      fields = fields + (value and 1 or 0)
    end
    -- What is not one of these fields is a place in the queue.
    local waiters = redis.call('HLEN', key) - fields
    local mode, client = owner_of(lock)
    for _, value in ipairs({ lock.id or '', client, mode, lock.token, since(lock),
        lock.ends - now, waiters, lock.last }) do
      table.insert(answer, value)
    end
  else
    for _, value in ipairs({ '', '', '', 0, 0, 0, 0, 0 }) do
      table.insert(answer, value)
    end
  end
end
return answer
