-- compare-and-delete: deletes a lock if its owner is the caller: the least that an unlock can do.
--
-- KEYS[1]  lock   a string
-- ARGV[1]  owner  value that the lock must have
--
-- Returns  1 if it was deleted, else 0
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
