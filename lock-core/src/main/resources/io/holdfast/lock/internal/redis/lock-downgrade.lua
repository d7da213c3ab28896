-- lock-downgrade: makes a reader of the request that holds a lock exclusively, with a token of its
-- own, and grants readers that wait at the head of the queue.
--
-- KEYS[1]  lock hash  <prefix>lock:<name>
-- ARGV[1]  id         of the request, as given to lock-acquire
-- ARGV[2]  timeout    milliseconds that a waiter's place lasts without renewal
-- ARGV[3]  retention  milliseconds that the key outlives its use
-- ARGV[4]  publish    the command that sends a message
-- ARGV[5]  channels   prefix of the clients' channels
--
-- Returns  '<id> <now> <standing>' (see lock.lua); NONE is lost. Never an error because the key is no
--          lock of this layout
-- Repeat   safe: answers how the request stands
-- Memory   passes when memory is full: the first write is PEXPIRE
-- Clock    the server's only
-- Called by  RedisLockServer
local id, timeout, retention, publish, channels = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
--#include lock.lua

local lock, problem = read_if_lock(KEYS[1])
if not lock then return problem end
purge(lock)
local member = heard(lock, id, '')
if member and lock.kind == 'x' then
  local token = math.max(lock.last + 1, micros)
  lock.kind, lock.token, lock.last, lock.since = 's', token, token, false
  member.mode, member.stamp, member.more = 's' .. string.sub(member.mode, 2), token, 0
  put(lock, id, member)
end
advance(lock)
local answer = id .. ' ' .. whole(now) .. ' ' .. standing(lock, id)
return settle(lock) or answer
