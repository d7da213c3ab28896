-- start-up-count: counts the hashes that start-up-commands has left.
--
-- KEYS     the hashes, each with one field
--
-- Returns  how many of them are on this server
local found = 0
for _, key in ipairs(KEYS) do
	found = found + redis.call('HLEN', key)
end
return found
