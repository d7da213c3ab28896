-- lock-requests: acquires and releases locks, one or many in one call.
--
-- KEYS[i]    lock hash  <prefix>lock:<name>
-- ARGV[1]    client     application@host/random
-- ARGV[2]    timeout    milliseconds that a waiter's place lasts without renewal
-- ARGV[3]    retention  milliseconds that the key outlives its use
-- ARGV[4]    publish    the command that sends a message
-- ARGV[5]    channels   prefix of the clients' channels
-- ARGV[5+i]  request    'acquire[<max>] <id>[<session>] <wish>' or 'release <id> <stamp>[ <next
--                       id>[<session>] <wish>]', where a session begins with '#', and a wish is
--                       '<mode> <lease> <units> <limit> <block> <callers> <not after>', see
--                       lock-acquire-step.lua and lock-release-step.lua
--
-- Returns  { the answer to each request, as by lock-acquire.lua and lock-release.lua … }
--          the error of the first request that has one, its key not being a lock; then some of
--          the others may have been carried out. A release has none: what is no lock, nobody has
-- Repeat   safe
-- Memory   passes when memory is full but for acquisitions whose key is new
-- Clock    the server's only
-- Called by  RedisLockServer
local client, timeout, retention, publish, channels = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
--#include lock.lua
--#include lock-acquire-step.lua
--#include lock-release-step.lua
--#include lock-member.lua

local function take(key, id, owner, lease, lifetime, before)
--#include lock-take.lua
end

-- Most requests are for a lock that nobody waits for.
local function enter_quickly(key, id, who, wish)
  if kind_of(wish) ~= 'x' then return enter(key, id, who, wish, retention) end
  local mode, lease, valid = string.match(wish, '^(%l%l) (%d+) 1 1 1 %d+ (%d+)$')
  return mode and tonumber(lease) <= retention
    and take(key, id, mode .. ' ' .. who, lease, lease + retention, valid * 1000)
end

local function go_quickly(key, id)
  local hold = redis.pcall('HGET', key, 'hold')
  return hold == id and redis.call('HDEL', key, 'until') == 1 and id .. ' RELEASED'
    or hold == '3: +' and go(key, id)
end

local answers = {}
for i, key in ipairs(KEYS) do
  local max, id, session, wish = string.match(ARGV[5 + i], '^acquire(%d*) ([^# ]+)(%S*) (.*)$')
  local gone, stamp, next, next_session, next_wish =
    string.match(ARGV[5 + i], '^release (%S+) (%d+) ?([^# ]*)(%S*) ?(.*)$')
  answers[i] = id and enter_quickly(key, id, client .. session, wish) or next == '' and go_quickly(key, gone)
  if not answers[i] then
    local lock, problem = (id and read or read_if_lock)(key)
    if not lock then
      return problem
    elseif id then
      local wished = wish_of(client .. session, string.match(wish, WISH))
      wished.max = tonumber(max)
      answers[i] = acquire(lock, id, wished)
    else
      answers[i] = release(lock, gone, tonumber(stamp), next ~= '' and next,
        wish_of(client .. next_session, string.match(next_wish, WISH)))
    end
    local refused = settle(lock)
    if refused then return refused end
  end
end
return answers
