-- lock-look: how who waits for a lock frees it of an owner that is dead. The server of a session
-- knows whether that is gone: the kernel closes the connections of a process that has died, and
-- keeps those of one that is paused. A hold whose session is gone is doubted. If nothing comes from
-- its client within the grace that the session names, the hold ends as one that was not released.
-- An owner does not believe in its hold for longer than that grace after it was last sure of the
-- session, or of the hold.
--
-- KEYS[1]    lock hash  <prefix>lock:<name>
-- ARGV[1]    timeout    milliseconds that a waiter's place lasts without renewal
-- ARGV[2]    retention  milliseconds that the key outlives its use
-- ARGV[3]    publish    the command that sends a message
-- ARGV[4]    channels   prefix of the clients' channels
-- ARGV[5]    client     that looks, application@host/random
-- ARGV[6]    pause      milliseconds between two looks, for who is the first to wait
-- ARGV[6+i]  gone       sessions of which the client has seen that they are gone, each with its
--                       client, as in owner
--
-- Returns  { after how many milliseconds to look again: when the first doubted hold ends, or after
--          a pause for each place, at most 9, up to that of this client; the sessions of holds that
--          are not doubted yet … }
-- Repeat   safe: a doubt stays as old as it is
-- Memory   passes when memory is full: the first write is PEXPIRE
-- Clock    the server's only
-- Called by  RedisSessions
local timeout, retention, publish, channels, client = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
--#include lock.lua

-- Of so many holds none is looked at: their leases end.
local MOST = 500

local lock, problem = read_if_lock(KEYS[1])
if not lock then return problem end
local gone, sessions, places, again = {}, {}, 1, math.huge
for i = 7, #ARGV do gone[ARGV[i]] = true end
purge(lock)
if lock.kind == 'x' or (lock.kind and redis.call('HLEN', lock.key) <= MOST) then
  for holder, member in pairs(members_of(lock)) do
    if member and not lock.doubts[holder] and string.find(member.client, '#', 1, true) then
      if gone[member.client] then
        lock.doubts[holder] = now
      elseif plain(member.client) ~= client then
        sessions[#sessions + 1] = member.client
      end
    end
    if member and lock.doubts[holder] then
      again = math.min(again, lock.doubts[holder] + tonumber(string.match(member.client, '%w+$'), 36) - now)
    end
  end
end
advance(lock)
local id = lock.head
while id ~= NOBODY and places < 9 and plain(linked_place(lock, id).client) ~= client do
  places, id = places + 1, linked_place(lock, id).next
end
return settle(lock) or { math.min(again, places * ARGV[6]), unpack(sessions) }
