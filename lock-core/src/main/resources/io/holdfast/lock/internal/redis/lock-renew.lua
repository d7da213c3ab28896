-- lock-renew: renews many requests at once. A hold gets its whole lease again, a waiter keeps
-- its place and asks again.
--
-- KEYS[i]      lock hash   <prefix>lock:<name>
-- ARGV[1]      timeout     milliseconds that a waiter's place lasts without renewal
-- ARGV[2]      retention   milliseconds that the key outlives its use
-- ARGV[3]      publish     the command that sends a message
-- ARGV[4]      channels    prefix of the clients' channels
-- ARGV[5]      call        a text that is unique to this call
-- ARGV[3i+3]   request id  as given to lock-acquire
-- ARGV[3i+4]   lease       milliseconds from now, > 0; never shortens a hold
-- ARGV[3i+5]   extras      '<callers>[ <block> <owned>[ <session>]]': how many wait behind it, if it waits; more
--                          tokens wanted, if it holds exclusively; and for how many milliseconds
--                          its present owner has it then, if an earlier one passed it on inside
--                          its client, or 0; and the session to which to tie it, or what it waits for
--
-- Returns  { call, now, for each request its token if it holds the lock, from now on for as long
--          as asked, its tokens begin and end with that one, and nobody waits; else
--          '<id> <standing>' (see lock.lua) … }; NONE is lost
-- Repeat   safe: asking again after a lost reply does no harm
-- Memory   passes when memory is full: the first write is PEXPIRE
-- Clock    the server's only
-- Called by  RedisLockServer
local timeout, retention, publish, channels = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]

local answer, slow = { ARGV[5] }, {}
local moment = redis.call('TIME')
local millis = moment[1] * 1000 + math.floor(moment[2] / 1000)
answer[2] = string.format('%.0f', millis)
--#include lock-member.lua

-- Most requests hold a lock that nobody waits for, and ask for the same lease. The others come
-- after them.
local asked, ends, text, lifetime
for i, key in ipairs(KEYS) do
  local id, lease, extras = ARGV[3 * i + 3], ARGV[3 * i + 4], ARGV[3 * i + 5]
  if lease ~= asked then
    asked, ends = lease, millis + lease
    text, lifetime = string.format('3:%.0f', ends), string.format('%.0f', lease + retention)
  end
  local f = redis.pcall('HMGET', key, 'hold', 'until', 'token')
  local left = f[1] == id and f[2] and tonumber(string.sub(f[2], 3))
  if left and tonumber(f[3]) and left > millis and left <= ends and not string.find(extras, ' ', 1, true)
      and ends - millis <= retention then
    redis.call('PEXPIRE', key, lifetime)
    redis.call('HSET', key, 'until', text)
    answer[i + 2] = f[3]
  else
    -- A session ties the hold anew, which the slow way does.
    answer[i + 2] = f[1] == '3: +' and not string.find(extras, '#', 1, true)
      and renew_member(key, id, lease, retention)
    slow[#slow + 1] = not answer[i + 2] and i or nil
  end
end
if #slow == 0 then return answer end
--#include lock.lua

for _, i in ipairs(slow) do
  local id = ARGV[3 * i + 3]
  local callers, block, owned, session = string.match(ARGV[3 * i + 5], '^(%d+) ?(%d*) ?(%d*) ?(%S*)$')
  local lock, problem = read_if_lock(KEYS[i])
  if not lock then return problem end
  purge(lock)
  local member = heard(lock, id, session)
  if member then
    member.ends = math.max(member.ends, now + ARGV[3 * i + 4])
    if lock.kind == 'x' and (tonumber(block) or 0) > 0 then
      -- The moments since the latest token.
      lock.last = math.max(lock.last + 1, math.min(micros, lock.last + block))
      member.more = lock.last - member.stamp
    end
    if lock.kind == 'x' and (tonumber(owned) or 0) > 0 then
      lock.since = now - owned
    end
    put(lock, id, member)
  elseif place_of(lock, id) then
    stay(lock, id, tonumber(callers), session)
  end
  advance(lock, id)
  tell_holders(lock, id)
  local refused = settle(lock)
  if refused then return refused end
  answer[i + 2] = id .. ' ' .. standing(lock, id)
end
return answer
