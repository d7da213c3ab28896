-- pass-on: takes the holder out of a queue and tells the next one: the least that a fair unlock
-- between processes can do.
--
-- KEYS[1]  queue  a list of owners, '<channel>:<number>'; the first one holds the lock
--
-- Returns  1 if another one was told, else 0
redis.call('LPOP', KEYS[1])
local next = redis.call('LINDEX', KEYS[1], 0)
if next then
  redis.call('PUBLISH', string.match(next, '^[^:]+'), next)
  return 1
end
return 0
