-- mutex-request: acquires and releases locks, one or many in one call.
--
-- KEYS[i]    lock hash  <prefix>lock:<name>
-- ARGV[1]    client     application@host/random
-- ARGV[2]    timeout    milliseconds that a waiter's place lasts without renewal
-- ARGV[3]    retention  milliseconds that the key outlives its use
-- ARGV[4]    channels   prefix of the clients' channels
-- ARGV[4+i]  request    'acquire <id> <mode> <lease> <block> <waits, 1 or 0> <not after>'
--                       'release <id> <token>[ <next id> <mode> <lease> <block>]'
--                       see mutex-acquire-step.lua and mutex-release-step.lua
--
-- Returns  { the answer to each request, as by mutex-acquire.lua and mutex-release.lua … }
--          the error of the first request that has one, its key not being a lock; then some of
--          the others may have been carried out. A release has none: what is no lock, nobody has
-- Repeat   safe
-- Memory   releases pass when memory is full: their first write is HDEL
-- Clock    the server's only
-- Called by  RequestCombiner; CombinedRequest words each request
local client, timeout, retention, channels = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
--#include mutex.lua
--#include mutex-acquire-step.lua
--#include mutex-release-step.lua

local function take(key, id, owner, lease, lifetime, before)
--#include mutex-take.lua
end

-- Most requests are for a lock that nobody waits for.
local function quick(key, request)
  local id, mode, lease, not_after = string.match(request, '^acquire (%S+) (%l%l) (%d+) 1 %d+ (%d+)$')
  if id then
    return tonumber(lease) <= retention
      and take(key, id, mode .. ' ' .. client, lease, lease + retention, not_after * 1000)
  end
  id = string.match(request, '^release (%S+) %d+$')
  return id and redis.pcall('HGET', key, 'hold') == id and redis.call('HDEL', key, 'until') == 1
    and id .. ' RELEASED'
end

local function answer(lock, request)
  local id, mode, lease, block, waits, not_after =
    string.match(request, '^acquire (%S+) (%l%l) (%d+) (%d+) (%d+) (%d+)$')
  if id then
    return acquire(lock, id, mode, client, tonumber(lease), tonumber(block), waits == '1',
      tonumber(not_after))
  end
  local released, token, rest = string.match(request, '^release (%S+) (%d+)(.*)$')
  local next
  if rest ~= '' then
    next = { client = client }
    next.id, next.mode, next.lease, next.block =
      string.match(rest, '^ (%S+) (%l%l) (%d+) (%d+)$')
    next.lease, next.block = tonumber(next.lease), tonumber(next.block)
  end
  return release(lock, released, tonumber(token), next)
end

-- What several requests ask of one lock is read once and written once, after all are answered.
local answers, locks, order = {}, {}, {}
for i, key in ipairs(KEYS) do
  local request, lock = ARGV[4 + i], locks[key]
  local line = not lock and quick(key, request)
  if not line then
    if not lock then
      local problem
      local reading = string.find(request, '^release ') and read_for_release or read
      lock, problem = reading(key)
      if not lock then
        return problem
      end
      if not lock.foreign then
        locks[key], order[#order + 1] = lock, lock
      end
    end
    line = answer(lock, request)
  end
  answers[i] = line
end
for _, lock in ipairs(order) do
  local refused = settle(lock)
  if refused then
    return refused
  end
end
return answers
