-- mutex-takeup: has one of the servers of a quorum take up holds that a majority knows and that it
-- lacks, together with their fencing tokens. What another request holds here it leaves alone.
--
-- KEYS[i]      lock hash   <prefix>lock:<name>
-- ARGV[1]      timeout     milliseconds that a waiter's place lasts without renewal
-- ARGV[2]      retention   milliseconds that the key outlives its use
-- ARGV[3]      channels    prefix of the clients' channels
-- ARGV[4]      client      application@host/random
-- ARGV[5]      guard       as for mutex-vote
-- ARGV[6]      not after   server time in milliseconds after which nothing new may be done
-- ARGV[4i+3]   request id  as given to mutex-vote
-- ARGV[4i+4]   lease       milliseconds, > 0
-- ARGV[4i+5]   token       token of the hold at least
-- ARGV[4i+6]   last        last token of the hold at least
--
-- Returns  { now, how many of the requests hold here }; none within the guard
-- Repeat   safe: a hold that was released here is not taken up again
-- Memory   refused when memory is full, with nothing changed, unless the hold was here before
-- Clock    the server's only
local timeout, retention, channels, client = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
local guard, not_after = tonumber(ARGV[5]), tonumber(ARGV[6])
--#include mutex.lua
--#include mutex-quorum.lua

if starting(guard) then
  return { now, 0 }
end
local held = 0
for i, key in ipairs(KEYS) do
  local id, lease = ARGV[4 * i + 3], tonumber(ARGV[4 * i + 4])
  local token, last = tonumber(ARGV[4 * i + 5]), tonumber(ARGV[4 * i + 6])
  -- A key that is no lock of this layout must not stop the others.
  local lock = read(key)
  if lock then
    local known = lock.id == id and lock.ends > 0
    if not is_held(lock) and now <= not_after and not was_released(lock, id, 0) then
      if known then
        -- It ran out here while a majority kept it.
        lock.ends = now + lease
        set(lock, 'until', '2:' .. whole(lock.ends))
      else
        -- Not a new grant, so it gets no new token.
        local raised = math.max(lock.last, token)
        grant(lock, id, 'xr', client, lease, raised, math.max(raised, last))
      end
    end
    if lock.id == id and is_held(lock) then
      raise(lock, token, last)
      write(lock, known)
      held = held + 1
    end
  end
end
return { now, held }
