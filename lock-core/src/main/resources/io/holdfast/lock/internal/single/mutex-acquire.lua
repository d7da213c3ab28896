-- mutex-acquire: grants a lock that is free, or lets the request wait for it. Also how a request
-- that waits asks again.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  id         of the request, new for every acquisition
-- ARGV[2]  owner      '<mode> <client>', as in the hash
-- ARGV[3]  lease      milliseconds, > 0
-- ARGV[4]  lifetime   lease and retention
-- ARGV[5]  before     the deadline in microseconds, if the request wants one token and its lease
--                     is no longer than the retention; else 0
-- ARGV[6]  more       '<block> <waits, 1 or 0> <not after> <timeout> <retention> <channels>', see
--                     mutex-acquire-step.lua and mutex-request.lua
--
-- Returns  as mutex-take.lua or mutex-acquire-step.lua
-- Repeat   safe: answers how the request stands
-- Memory   refused when memory is full, with nothing changed; asking again passes
-- Clock    the server's only
-- Called by  SingleRequests.acquire
local key, id, owner, lease, lifetime, before = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
--#include mutex-take.lua

local block, waits, not_after, timeout, retention, channels =
  string.match(ARGV[6], '^(%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
timeout, retention = tonumber(timeout), tonumber(retention)
--#include mutex.lua
--#include mutex-acquire-step.lua

local lock, problem = read(key)
if not lock then
  return problem
end
local mode, client = string.match(owner, '^(%l%l) (.+)$')
local answer = acquire(lock, id, mode, client, tonumber(lease), tonumber(block), waits == '1',
  tonumber(not_after))
return settle(lock) or answer
