-- lock-release: gives up what a request has, its hold or its place in the queue, and grants those
-- for whom there is room now.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  id         of the request, as given to lock-acquire
-- ARGV[2]  more       '<stamp> <timeout> <retention> <publish> <channels>', see
--                     lock-release-step.lua and lock-requests.lua
--
-- Returns  as lock-release-step.lua. Never an error because the key is no lock of this layout:
--          what is none, nobody has
-- Repeat   safe: answers RELEASED again
-- Memory   passes when memory is full: the first write is PEXPIRE or HDEL
-- Clock    the server's only
-- Called by  RedisLockServer
local key, id = KEYS[1], ARGV[1]

-- Where nothing follows the id there is nothing else to do. The key lives for a little
-- longer then than the steps would let it, at most for twice the retention.
local hold = redis.pcall('HGET', key, 'hold')
if hold == id and redis.call('HDEL', key, 'until') == 1 then return id .. ' RELEASED' end
if hold == '3: +' then
--#include lock-member.lua
  local gone = go(key, id)
  if gone then return gone end
end
local stamp, timeout, retention, publish, channels = string.match(ARGV[2], '^(%d+) (%d+) (%d+) (%S+) (.*)$')
timeout, retention = tonumber(timeout), tonumber(retention)
--#include lock.lua
--#include lock-acquire-step.lua
--#include lock-release-step.lua

local lock, problem = read_if_lock(key)
if not lock then return problem end
local answer = release(lock, id, tonumber(stamp))
return settle(lock) or answer
