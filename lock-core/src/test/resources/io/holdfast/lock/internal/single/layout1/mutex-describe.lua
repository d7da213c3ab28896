-- mutex-describe: tells an operator who holds each of some locks. Changes nothing.
--
-- KEYS[i]  lock hash  <prefix>lock:<name>
-- ARGV[1]  strict     1 if it is an error when a key is not a hash; else nobody holds it
--
-- Returns  { now, for each key seven values: id of the hold or '' if nobody holds it, client,
--          type, token, since, milliseconds left, requests that wait … }
-- Repeat   safe
-- Clock    the server's only
--#include mutex.lua
local FIELDS = { 'since', 'type', 'hold', 'until', 'client', 'token', 'last', 'head', 'tail',
  'released', 'lost' }

local answer = { now }
for _, lock in ipairs(KEYS) do
  local f = redis.pcall('HMGET', lock, unpack(FIELDS))
  if f.err and ARGV[1] == '1' then
    return f
  end
  local ends = not f.err and tonumber(f[4] or 0) or 0
  if ends > now then
    local fields = 0
    for i = 1, #FIELDS do
      fields = fields + (f[i] and 1 or 0)
    end
    -- What is not one of these fields is a place in the queue.
    local waiters = redis.call('HLEN', lock) - fields
    for _, value in ipairs({ f[3], f[5], f[2] or 'reentrant', tonumber(f[6]), tonumber(f[1]), ends - now, waiters }) do
      table.insert(answer, value)
    end
  else
    for _, value in ipairs({ '', '', '', 0, 0, 0, 0 }) do
      table.insert(answer, value)
    end
  end
end
return answer
