-- lock-evict: takes a lock from those who hold it, tells their clients, and grants those who wait.
--
-- KEYS[1]    lock hash  <prefix>lock:<name>
-- ARGV[1]    timeout    milliseconds that a waiter's place lasts without renewal
-- ARGV[2]    retention  milliseconds that the key outlives its use
-- ARGV[3]    publish    the command that sends a message
-- ARGV[4]    channels   prefix of the clients' channels
-- ARGV[5]    call       random id of this call
-- ARGV[5+i]  which      ids of requests, or tokens of holds; none for all holds
--
-- Returns  { now, how many holds it ended }
-- Repeat   safe: ends nothing more, and has the same answer until another call ends a hold
-- Memory   passes when memory is full: the first write is PEXPIRE
-- Clock    the server's only
local timeout, retention, publish, channels, call = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
--#include lock.lua

local lock, problem = read(KEYS[1])
if not lock then return problem end
local earlier, done = string.match(redis.call('HGET', lock.key, 'forced') or '', '^(%S+) (%d+)$')
if earlier == call then return { now, tonumber(done) } end
local wanted, ended = {}, 0
for i = 6, #ARGV do wanted[ARGV[i]] = true end

purge(lock)
for id, member in pairs(members_of(lock)) do
  if member and (#ARGV == 5 or wanted[id] or wanted[whole((tokens_of(lock, member)))]) then
    ended = ended + 1
    lose(lock, member.stamp + member.more)
    -- Told first, so that the previous owner knows before a message lets the next one run.
    tell(lock, member.client, 'forced', id, lock.key)
    end_hold(lock, id)
  end
end
if ended > 0 then
  lock.fields.forced = call .. ' ' .. ended
end
advance(lock)
return settle(lock) or { now, ended }
