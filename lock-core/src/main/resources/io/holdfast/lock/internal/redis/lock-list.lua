-- lock-list: finds locks, a page at a time. Changes nothing; a replica answers with an error.
--
-- KEYS[1]  any key    with the lock prefix; in a cluster, of the server that is meant
-- ARGV[1]  cursor   where to go on; 0 to start
-- ARGV[2]  pattern  of the lock hashes
-- ARGV[3]  count    about how many keys of the database to look at
--
-- Returns  { the next cursor, or 0 at the end; { keys … } }
-- Repeat   safe
-- Clock    none that counts
local cursor, pattern, count = ARGV[1], ARGV[2], ARGV[3]
--#include lock.lua

return stale(KEYS[1]) or redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', count)
