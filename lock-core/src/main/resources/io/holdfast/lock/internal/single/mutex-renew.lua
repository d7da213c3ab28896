-- mutex-renew: renews many requests at once. A hold gets its whole lease again, a waiter keeps
-- its place; a lock whose hold ran out goes to the next live waiter.
--
-- KEYS[i]      lock hash   <prefix>lock:<name>
-- ARGV[1]      timeout     milliseconds that a waiter's place lasts without renewal
-- ARGV[2]      retention   milliseconds that the key outlives its use
-- ARGV[3]      channels    prefix of the clients' channels
-- ARGV[4]      call        a text that is unique to this call
-- ARGV[3i+2]   request id  as given to mutex-acquire
-- ARGV[3i+3]   lease       milliseconds from now, > 0; never shortens a hold
-- ARGV[3i+4]   extras      '0', or '<block> <owned>': more tokens wanted, >= 0, if it holds; for
--                          how many milliseconds its present owner has it, if an earlier one
--                          passed it on inside its client, or 0
--
-- Returns  { call, now, for each request its token if it holds the lock, from now on for as long
--          as asked, its tokens begin and end with that one, and nobody waits; else
--          '<id> <standing>' (see mutex.lua) … }; NONE is lost
-- Repeat   safe: asking again after a lost reply does no harm
-- Memory   passes when memory is full: the first write is PEXPIRE
-- Clock    the server's only
-- Called by  RedisLockServer.renewal
local timeout, retention, channels = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local answer, slow, slow_keys = { ARGV[4] }, {}, {}
local moment = redis.call('TIME')
local millis = moment[1] * 1000 + math.floor(moment[2] / 1000)
answer[2] = string.format('%.0f', millis)

-- Most requests hold a lock that nobody waits for, and ask for the same lease. The others come
-- after them, but what is asked of one lock keeps its order.
local asked, ends, text, lifetime
for i, key in ipairs(KEYS) do
  local lease = ARGV[3 * i + 3]
  if lease ~= asked then
    asked, ends = lease, millis + lease
    text, lifetime = string.format('2:%.0f', ends), string.format('%.0f', lease + retention)
  end
  local f = redis.pcall('HMGET', key, 'hold', 'until', 'token')
  local left = f[1] == ARGV[3 * i + 2] and f[2] and tonumber(string.sub(f[2], 3))
  if left and tonumber(f[3]) and left > millis and left <= ends and ARGV[3 * i + 4] == '0'
      and ends - millis <= retention and not slow_keys[key] then
    redis.call('PEXPIRE', key, lifetime)
    redis.call('HSET', key, 'until', text)
    answer[i + 2] = f[3]
  else
    slow[#slow + 1], slow_keys[key] = i, true
  end
end
if #slow == 0 then
  return answer
end
--#include mutex.lua

-- Adds the moments since the latest token to those that a hold may give out.
local function add_tokens(lock, block)
  lock.last = math.max(lock.last + 1, math.min(micros, lock.last + block))
end

for _, i in ipairs(slow) do
  local id, lease = ARGV[3 * i + 2], tonumber(ARGV[3 * i + 3])
  local block, owned = string.match(ARGV[3 * i + 4], '^(%d+) ?(%d*)$')
  block, owned = tonumber(block), tonumber(owned) or 0
  local lock, problem = read(KEYS[i])
  if lock then
    if lock.id == id and is_held(lock) then
      lock.ends = math.max(lock.ends, now + lease)
      set(lock, 'until', '2:' .. whole(lock.ends))
      if block > 0 then
        add_tokens(lock, block)
      end
      if owned > 0 then
        lock.since = now - owned
      end
      write(lock, true)
    elseif place_of(lock, id) then
      stay(lock, id)
      if not is_held(lock) then
        hand_over(lock, id)
      end
      write(lock, true)
    else
      local refused = settle(lock)
      if refused then
        return refused
      end
    end
    answer[i + 2] = id .. ' ' .. standing(lock, id)
  elseif is_foreign(problem) then
    -- No lock of this layout, so the hold is gone; it must not stop the other renewals.
    answer[i + 2] = id .. ' NONE 0 0 0 0 0'
  else
    return problem
  end
end
return answer
