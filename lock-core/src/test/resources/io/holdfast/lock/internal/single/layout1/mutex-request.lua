-- mutex-request: acquires and releases locks, one or many in one call. What a request may ask
-- and what it is answered is in mutex-acquire.lua and mutex-release.lua.
--
-- KEYS[i]    lock hash  <prefix>lock:<name>
-- ARGV[1]    client     application@host/random
-- ARGV[2]    timeout    milliseconds that a waiter's place lasts without a sign of life
-- ARGV[3]    retention  milliseconds that the key outlives its use
-- ARGV[4]    channels   prefix of the clients' channels
-- ARGV[4+i]  request    'acquire <id> <type> <lease> <block> <waits: 1|0> <not after>'
--                       'release <id>[,<id>…] <token>[ <next id> <type> <lease> <block>]'
--
-- Returns  the answer to one request, or { the answer to each request … }
--          the error of the first request that has one, its key not being a hash; then some of
--          the others may have been carried out. A release has none: what is no lock, nobody holds
-- Repeat   safe
-- Clock    the server's only
local client, timeout, retention, channels = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]

-- Most requests are for a lock that nobody waits for. For those this does what the steps do, in
-- half the time; it answers nothing if they have to look. After a release the key lives a little
-- longer than they would let it, at most for twice the retention.
local function quick(key, request)
  local id, type, lease, not_after = string.match(request, '^acquire (%S+) (%a+) (%d+) 1 [01] (%d+)$')
  if not id then
    id = string.match(request, '^release (%S+) %d+$')
    local f = id and redis.pcall('HMGET', key, 'hold', 'head', 'until', 'since')
    if f and not f.err and f[1] == id and not f[2] and f[3] and f[3] - f[4] <= retention then
      redis.call('HDEL', key, 'until', 'since', 'client', 'type')
      return id .. ' RELEASED'
    end
    return nil
  end
  local f = redis.pcall('HMGET', key, 'hold', 'until', 'head', 'token', 'last', 'released', 'lost')
  local free = not f.err and not f[2] and not f[3] and (f[7] or not f[1])
  if not free or f[1] == id or (f[6] and string.find(f[6], id, 1, true)) then
    return nil
  end
  local time = redis.call('TIME')
  local token = time[1] .. string.format('%06d', time[2])
  local since, moment = string.sub(token, 1, -4), tonumber(token)
  if tonumber(since) > tonumber(not_after) or moment <= tonumber(f[4] or 0)
      or moment <= tonumber(f[5] or 0) then
    return nil
  end
  local more = f[1] and { 'released', f[1] } or {}
  if type == 'fair' then
    more[#more + 1], more[#more + 2] = 'type', type
  end
  redis.call('HSET', key, 'hold', id, 'until', string.format('%.0f', since + lease), 'since', since,
    'client', client, 'token', token, unpack(more))
  redis.call('PEXPIRE', key, lease + retention)
  return id .. ' ' .. since .. ' HOLDS ' .. lease .. ' ' .. token .. ' ' .. token .. ' 0 0'
end

-- A single request tries the quick way before the steps are even defined.
local many = #KEYS > 1
local quickly = not many and quick(KEYS[1], ARGV[5])
if quickly then
  return quickly
end
--#include mutex.lua
--#include mutex-acquire.lua
--#include mutex-release.lua

local function answer(lock, request)
  local id, type, lease, block, waits, not_after =
    string.match(request, '^acquire (%S+) (%a+) (%d+) (%d+) ([01]) (%d+)$')
  if id then
    return acquire(lock, client, id, type, tonumber(lease), tonumber(block), waits == '1',
      tonumber(not_after))
  end
  local released, passed, token, rest = string.match(request, '^release ([^ ,]+)(%S*) (%d+)(.*)$')
  -- Those whose owners had the hold inside their client: first, or they would be handed the lock.
  for other in string.gmatch(passed, '[^,]+') do
    release(lock, client, other, 0)
  end
  local next
  if rest ~= '' then
    next = {}
    next.id, next.type, next.lease, next.block = string.match(rest, '^ (%S+) (%a+) (%d+) (%d+)$')
    next.lease, next.block = tonumber(next.lease), tonumber(next.block)
  end
  return release(lock, client, released, tonumber(token), next)
end

-- What several requests ask of one lock is read once and written once, after all are answered.
local answers, locks, order = {}, {}, {}
for i, key in ipairs(KEYS) do
  local request, lock = ARGV[4 + i], locks[key]
  local line = many and not lock and quick(key, request)
  if not line then
    if not lock then
      local problem
      lock, problem = read(key)
      if lock then
        locks[key], order[#order + 1] = lock, lock
      elseif string.find(request, '^release ') and string.find(problem.err, 'WRONGTYPE', 1, true) then
        lock = lock_of(key, {})
      else
        return problem
      end
    end
    line = answer(lock, request)
  end
  answers[i] = line
end
for _, lock in ipairs(order) do
  if lock.changed then
    write(lock, lock.known)
  end
end
return many and answers or answers[1]
