-- mutex-acquire-all: grants several locks if all of them are free, and none if not.
--
-- KEYS[i]    lock hash  <prefix>lock:<name>, none of them twice
-- ARGV[1]    client     application@host/random
-- ARGV[2]    timeout    milliseconds that a waiter's place lasts without renewal
-- ARGV[3]    retention  milliseconds that the key outlives its use
-- ARGV[4]    channels   prefix of the clients' channels
-- ARGV[4+i]  request    'acquire <id> <mode> <lease> <block> 0 <not after>', as for mutex-request.lua
--
-- Returns  { '<id> <now> <standing>' of each request … } (see mutex.lua). All hold if all were
--          granted, now or before; if not, nothing was changed, and NONE says no more than that
--          this request does not hold its lock, which may be free
--          the error of the first key that is not a lock; then nothing was changed
-- Repeat   safe: grants nothing to a request that had its lock before
-- Memory   refused when memory is full, with nothing changed
-- Clock    the server's only
-- Called by  RedisLockServer.acquireAll; CombinedRequest words each request
local client, timeout, retention, channels = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
--#include mutex.lua

local requests, free = {}, true
for i, key in ipairs(KEYS) do
  local lock, problem = read(key)
  if not lock then
    return problem
  end
  local id, mode, lease, block, not_after =
    string.match(ARGV[4 + i], '^acquire (%S+) (%l%l) (%d+) (%d+) 0 (%d+)$')
  free = free and now <= tonumber(not_after) and not is_held(lock) and not is_awaited(lock)
    and lock.id ~= id and not was_released(lock, id, 0)
  requests[i] = { lock = lock, id = id, mode = mode, lease = tonumber(lease), block = tonumber(block) }
end

local answers = {}
for i, request in ipairs(requests) do
  local lock, id = request.lock, request.id
  if free then
    grant(lock, id, request.mode, client, request.lease, next_tokens(lock, request.block))
  end
  answers[i] = id .. ' ' .. whole(now) .. ' ' .. standing(lock, id)
end
-- Nothing is written before all is known.
for _, request in ipairs(free and requests or {}) do
  write(request.lock)
end
return answers
