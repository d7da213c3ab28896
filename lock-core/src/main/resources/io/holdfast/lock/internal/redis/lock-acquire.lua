-- lock-acquire: grants a lock that has room for the request, or lets it wait. Also how a request
-- that waits asks again.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  id         of the request, new for every acquisition
-- ARGV[2]  owner      '<mode> <client>'
-- ARGV[3]  lease      milliseconds, > 0
-- ARGV[4]  lifetime   lease and retention
-- ARGV[5]  before     the deadline in microseconds, if the request is exclusive, wants one token and
--                     its lease is no longer than the retention; else 0
-- ARGV[6]  more       '<units> <limit> <block> <callers> <not after> <timeout> <retention> <publish>
--                     <channels>', see lock-acquire-step.lua and lock-requests.lua
-- ARGV[7]  max        the request does not join where so many callers wait; empty for any number
--
-- Returns  as lock-take.lua or lock-acquire-step.lua
-- Repeat   safe: answers how the request stands
-- Memory   refused when memory is full and the key is new, with nothing changed
-- Clock    the server's only
-- Called by  RedisLockServer
local key, id, owner, lease, lifetime, before = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
--#include lock-take.lua

local wish, timeout, retention, publish, channels =
  string.match(ARGV[6], '^(%d+ %d+ %d+ %d+ %d+) (%d+) (%d+) (%S+) (.*)$')
local client = string.sub(owner, 4)
wish, retention = string.sub(owner, 1, 3) .. lease .. ' ' .. wish, tonumber(retention)
if string.sub(owner, 1, 1) ~= 'x' then
--#include lock-member.lua
  local entered = enter(key, id, client, wish, retention)
  if entered then return entered end
end
timeout = tonumber(timeout)
--#include lock.lua
--#include lock-acquire-step.lua

local lock, problem = read(key)
if not lock then return problem end
local wished = wish_of(client, string.match(wish, WISH))
wished.max = tonumber(ARGV[7])
local answer = acquire(lock, id, wished)
return settle(lock) or answer
