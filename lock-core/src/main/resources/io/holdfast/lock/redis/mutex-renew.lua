-- mutex-renew: says for many requests at once that their client lives. A hold gets its lease
-- anew, a waiter keeps its place; a lock whose hold ran out goes to the next live waiter.
--
-- KEYS[i]      lock hash   <prefix>lock:<name>
-- ARGV[1]      timeout     milliseconds that a waiter's place lasts without a sign of life
-- ARGV[2]      retention   milliseconds that the key outlives its use
-- ARGV[3]      channels    prefix of the clients' channels
-- ARGV[3i+1]   request id  as given to mutex-acquire
-- ARGV[3i+2]   lease       milliseconds from now, > 0; never shortens a hold
-- ARGV[3i+3]   block       more tokens wanted, >= 0
--
-- Returns  { now, '<id> <standing>' of each request (six words, see mutex.lua) … }; NONE is lost
-- Repeat   safe: asking again after a lost reply does no harm
-- Memory   passes when memory is full: the first write is PEXPIRE
-- Clock    the server's only
local timeout, retention, channels = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
--#include mutex.lua

-- Adds the moments since the latest token to those that a hold may give out.
local function add_tokens(lock, hold, block)
  local spent = math.max(hold.token, hold.last)
  hold.last = math.max(spent + 1, math.min(micros, spent + block))
  redis.call('HSET', lock, 'last', whole(hold.last))
end

local answer = { now }
for i, lock in ipairs(KEYS) do
  local id, lease, block = ARGV[3 * i + 1], tonumber(ARGV[3 * i + 2]), tonumber(ARGV[3 * i + 3])
  -- A key of another type means that the lock is gone; it must not stop the other renewals.
  local hold = read(lock) or { ends = 0, token = 0, last = 0, head = NOBODY }
  local place = place_of(lock, hold, id)
  if hold.id == id and is_held(hold) then
    hold.ends = math.max(hold.ends, now + lease)
    keep(lock, hold)
    redis.call('HSET', lock, 'until', whole(hold.ends))
    if block > 0 then
      add_tokens(lock, hold, block)
    end
  elseif place then
    keep(lock, hold)
    stay(lock, id, place)
    if not is_held(hold) then
      hand_over(lock, hold, id)
      keep(lock, hold)
    end
  end
  answer[i + 1] = id .. ' ' .. standing(lock, hold, id)
end
return answer
