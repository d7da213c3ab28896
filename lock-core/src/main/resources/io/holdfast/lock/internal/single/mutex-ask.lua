-- mutex-ask: asks the clients that are subscribed how they are. In a cluster these are the
-- ones that are subscribed to this node, be it a master or a replica.
--
-- KEYS[1]  any key   routes to one master of a cluster; none where the connection leads to the
--                    node already
-- ARGV[1]  channels  what the channels of clients begin with
-- ARGV[2]  pattern   of these channels
-- ARGV[3]  client    the one that asks, which is not asked itself
-- ARGV[4]  question  its id, which the answers repeat
-- ARGV[5]  limit     how many clients to ask at most
--
-- Returns  { how many others are subscribed; those that were asked … }
-- Repeat   safe: a second answer to a question does no harm
-- Clock    none
local channels, pattern, client, question, limit = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])

local answer = { 0 }
for _, channel in ipairs(redis.call('PUBSUB', 'CHANNELS', pattern)) do
  if channel ~= channels .. client then
    answer[1] = answer[1] + 1
    if answer[1] <= limit then
      redis.call('PUBLISH', channel, '2 asked ' .. client .. ' ' .. question)
      answer[answer[1] + 1] = string.sub(channel, #channels + 1)
    end
  end
end
return answer
