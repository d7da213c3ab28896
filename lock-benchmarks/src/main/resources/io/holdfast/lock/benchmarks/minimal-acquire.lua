-- minimal-acquire: takes a lock that nobody has: the least that a lock can do.
--
-- KEYS[1]  lock   a string
-- ARGV[1]  owner  value that the lock gets
-- ARGV[2]  lease  milliseconds, > 0
--
-- Returns  OK if it was taken, else false
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
