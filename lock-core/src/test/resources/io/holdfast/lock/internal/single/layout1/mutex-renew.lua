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
-- Returns  { now, '<id> <standing>' of each request (see mutex.lua) … }; NONE is lost
-- Repeat   safe: asking again after a lost reply does no harm
-- Memory   passes when memory is full: the first write is PEXPIRE
-- Clock    the server's only
local timeout, retention, channels = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
--#include mutex.lua

-- Adds the moments since the latest token to those that a hold may give out.
local function add_tokens(lock, block)
  local spent = math.max(lock.token, lock.last)
  lock.last = math.max(spent + 1, math.min(micros, spent + block))
  set(lock, 'last', whole(lock.last))
end

local answer = { now }
for i, key in ipairs(KEYS) do
  local id, lease, block = ARGV[3 * i + 1], tonumber(ARGV[3 * i + 2]), tonumber(ARGV[3 * i + 3])
  local lock = read(key)
  if not lock then
    -- A key of another type means that the lock is gone; it must not stop the other renewals.
    answer[i + 1] = id .. ' NONE 0 0 0 0 0'
  else
    if lock.id == id and is_held(lock) then
      lock.ends = math.max(lock.ends, now + lease)
      set(lock, 'until', whole(lock.ends))
      if block > 0 then
        add_tokens(lock, block)
      end
      write(lock, true)
    elseif place_of(lock, id) then
      stay(lock, id)
      if not is_held(lock) then
        hand_over(lock, id)
      end
      write(lock, true)
    end
    answer[i + 1] = id .. ' ' .. standing(lock, id)
  end
end
return answer
