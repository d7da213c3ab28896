-- lock-session: whether anybody listens to the channel of a session on this server. A session that
-- nobody listens to is gone for ever.
--
-- KEYS[1]  channel  <prefix>client:<client>#<number>; in a cluster also says which server to ask
--
-- Returns  { how many listen, the run of this server }; or { why that is not told }
-- Repeat   safe
-- Clock    none
local listeners = redis.pcall('PUBSUB', 'NUMSUB', KEYS[1])
if listeners.err then return { listeners.err } end
local server = redis.pcall('INFO', 'server')
if type(server) == 'table' then return { server.err } end
return { listeners[2], string.match(server, 'run_id:(%x%x%x%x%x%x)') or '' }
