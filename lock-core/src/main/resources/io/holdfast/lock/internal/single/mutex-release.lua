-- mutex-release: gives up what a request has, the lock or its place in the queue, and hands the
-- lock to the next live waiter.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  id         of the request, as given to mutex-acquire
-- ARGV[2]  more       '<token> <timeout> <retention> <channels>', see mutex-release-step.lua and
--                     mutex-request.lua
--
-- Returns  as mutex-release-step.lua. Never an error because the key is no lock of this layout:
--          what is none, nobody has
-- Repeat   safe: answers RELEASED again
-- Memory   passes when memory is full: the first write is HDEL
-- Clock    the server's only
-- Called by  SingleRequests.release
local key, id = KEYS[1], ARGV[1]

-- Where nothing follows the id there is nothing else to do. The key lives for a little
-- longer then than the steps would let it, at most for twice the retention.
if redis.pcall('HGET', key, 'hold') == id and redis.call('HDEL', key, 'until') == 1 then
  return id .. ' RELEASED'
end
local token, timeout, retention, channels = string.match(ARGV[2], '^(%d+) (%d+) (%d+) (.*)$')
timeout, retention = tonumber(timeout), tonumber(retention)
--#include mutex.lua
--#include mutex-release-step.lua

local lock, problem = read_for_release(key)
if not lock then
  return problem
end
local answer = release(lock, id, tonumber(token))
return settle(lock) or answer
