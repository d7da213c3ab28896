-- minimal-renew: renews all locks whose owners are those of the caller: the least that a renewal can do.
--
-- KEYS[i]      lock   a string
-- ARGV[1]      lease  milliseconds, > 0
-- ARGV[i + 1]  owner  value that the lock must have
--
-- Returns  1
for i, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[i + 1] then redis.call('PEXPIRE', key, ARGV[1]) end
end
return 1
