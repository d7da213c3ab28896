-- lock: what lies in Redis, and the steps that the lock-*.lua scripts share. Not a script of its
-- own: a line "--#include lock.lua" puts it into one. The steps use four locals of that script:
--
--   timeout    milliseconds that a waiter's place lasts without renewal
--   retention  milliseconds that the key outlives its use
--   publish    the command that sends a message
--   channels   prefix of the clients' channels
--
-- One hash holds all there is to know about one lock. This is layout 3: ids of requests and the
-- end of a hold begin with "3:", messages with "3 ". docs/internals/decisions/0001-layout-version.md tells
-- what becomes of other layouts. A mode is two letters: x exclusive, s shared (a reader) or p
-- permits; r default or f fair order. Either one exclusive request holds the lock, or a group of
-- one kind.
--
--   hold      id of the exclusive request that holds the lock, or was the latest to hold it, or
--             "3:"; followed by " +" if its release has more to do than to drop until: others
--             wait, it has last or since, the key is to live for longer than twice the retention,
--             a group holds, or there are doubts
--   until     when the exclusive hold ends, or the last member of the group does at the latest,
--             in milliseconds; absent once all was released
--   owner     "xr application@host/random": mode and client of the exclusive hold. A client may be
--             followed by the session to which the hold is tied, if it is renewed:
--             "#number.run.lease.grace", times in base 36, see lock-look.lua
--   token     fencing token of the exclusive hold, or of the first member of the group, which is
--             that of all its readers
--   last      latest token or stamp that the lock has given out, if that is another
--   since     when its owner got the exclusive hold, in milliseconds, by the latest word of its
--             client, if that is not the moment of the token
--   group     "kind units due": units in use; before that moment no member ends
--   h:<id>    a member of the group: "until units limit stamp more mode client"; what it got is
--             stamp, and as many tokens after it as more says
--   released  ids of the latest holds that were released, before the current exclusive one: a
--             release that runs again is told so, and not that its hold was lost
--   lost      latest stamp up to which holds may have ended without a release: the latest that
--             did, or those before the data was lost
--   doubt     "id moment" for each hold whose session is gone, as was seen then; nothing has come
--             from its client since. See lock-look.lua
--   forced    "call number": the latest call of lock-evict.lua that ended holds, and how many
--
-- and, only while requests wait, the queue:
--
--   head tail  ids of the first and the last request that waits
--   w:<id>     place of a request: "previous next timeout mode lease units limit block
--              callers valid client", where previous and next are ids or -, the place ends after
--              valid unless its client renews it before, callers is how many wait behind it, and
--              timeout is for how long its client has it last without renewal
--
-- A free lock keeps its token until the key expires, so that tokens also grow while the
-- server's clock is set back. All times are the server's.
--
-- read() tells how a lock stands, the steps change that, and settle() writes what they changed:
-- nothing is written before all is known, and a change of hands takes few commands, also if it
-- is several requests that bring it about. For the steps an exclusive hold is a group of one.

-- No request; how many requests one script grants at most, the next one goes on; and above what
-- Lua's numbers have gaps.
local NOBODY, GRANTS, LARGEST = '-', 500, 9007199254740992

local HEADER = { 'hold', 'until', 'owner', 'token', 'last', 'since', 'released', 'lost', 'head', 'tail', 'group', 'doubt' }

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

local function whole(number)
  return string.format('%.0f', number)
end

-- Ends the script with an error whose first word is its kind, as in errors of Redis.
local function damaged()
  error('-DAMAGED the data of this lock in Redis are damaged; nothing was changed. '
    .. 'Delete its key when nobody uses the lock', 0)
end

local function kind_of(mode)
  return string.sub(mode, 1, 1)
end

-- A lock as its fields have it.
local function lock_of(key, f)
  local id, ends = string.match(f[1] or '3:', '^%S*'), tonumber(string.sub(f[2] or '3:0', 3))
  local token, last = tonumber(f[4] or 0), tonumber(f[5] or 0)
  local since, lost = tonumber(f[6] or 0), tonumber(f[8] or 0)
  if not (ends and token and last and since and lost) or (id ~= '3:' and not f[4])
      or not f[9] ~= not f[10] or math.max(ends, token, last, since, lost) > LARGEST then
    damaged()
  end
  local lock = {
    key = key, header = f, exists = f[1], id = id, former = not f[2] and id ~= '3:' and id, ends = ends,
    token = token, last = math.max(token, last), since = f[6] and since, released = f[7] or '',
    lost = f[8] and lost, head = f[9] or NOBODY, tail = f[10] or NOBODY,
    -- the members and places that were looked at, by id, and what settle() is to do
    members = {}, places = {}, moved = {}, fields = {}, messages = {}, doubts = {}
  }
  for doubted, moment in string.gmatch(f[12] or '', '(%S+) (%d+)') do
    lock.doubts[doubted] = tonumber(moment)
  end
  if f[11] then
    local kind, used, due = string.match(f[11], '^([sp]) (%d+) (%d+)$')
    lock.kind, lock.used, lock.due = kind, tonumber(used), tonumber(due)
  elseif f[2] then
    local mode, client = string.match(f[3] or '', '^(%l%l) (.+)$')
    lock.kind, lock.used, lock.due, lock.all = mode and 'x', 1, ends, true
    lock.members[id] = {
      ends = ends, units = 1, limit = 1, stamp = token, more = lock.last - token, mode = mode, client = client
    }
  end
  if (f[2] or f[11]) and not (lock.kind and f[2] and f[4] and (id == '3:') == (lock.kind ~= 'x')) then
    damaged()
  end
  return lock
end

-- Reads what every step needs. Answers nil and an error if the key is not a lock, or not one of
-- this layout.
local function read(key)
  local f = redis.pcall('HMGET', key, unpack(HEADER))
  local foreign = not (f.err or f[1] or f[2] or f[4] or f[11]) and redis.call('HLEN', key) > 0
  if foreign or f.err and string.find(f.err, 'WRONGTYPE', 1, true) then
    local kind = foreign and 'hash of something else' or redis.pcall('TYPE', key).ok or 'key of unknown type'
    f = redis.error_reply("WRONGTYPE the key '" .. key .. "' is not a lock but a " .. kind
      .. ', which nothing of Holdfast wrote; rename that key, or set another key prefix')
  end
  if f.err then return nil, f end
  local ours = f[1] and string.sub(f[1], 1, 2) == '3:'
  if ours and string.sub(f[2] or '3:', 1, 2) == '3:' or not (f[1] or f[2] or f[4] or f[11]) then
    return lock_of(key, f)
  end
  local layout = string.match(not ours and f[1] or f[2] or '', '^(%d+):')
  if not layout or layout == '3' then damaged() end
  return nil, redis.error_reply('LAYOUT this lock is written in layout ' .. layout
    .. ', and this client knows layout 3; bring all applications to one version')
end

-- The same for what changes nothing where there is no lock of this layout: nobody holds it then
-- whom a client of this layout could know.
local function read_if_lock(key)
  local lock, problem = read(key)
  if problem and (string.find(problem.err, 'WRONGTYPE', 1, true) or string.find(problem.err, 'LAYOUT', 1, true)) then
    lock = lock_of(key, {})
    lock.foreign = true
  end
  return lock, problem
end

-- The first fields as they shall be.
local function header_of(lock, lifetime)
  local group, awaited = lock.kind and lock.kind ~= 'x', lock.head ~= NOBODY
  local hold, owner, doubts = not lock.kind and lock.former or '3:', not lock.kind and lock.header[3], {}
  for id, moment in pairs(lock.doubts) do
    doubts[#doubts + 1] = id .. ' ' .. whole(moment)
  end
  if lock.kind == 'x' then
    hold, owner = lock.id, lock.members[lock.id].mode .. ' ' .. lock.members[lock.id].client
  end
  if awaited or lock.last > lock.token or lock.since or group or #doubts > 0 or lifetime > 2 * retention then
    hold = hold .. ' +'
  end
  return {
    hold, lock.kind and '3:' .. whole(lock.ends), owner, whole(lock.token),
    lock.last > lock.token and whole(lock.last), lock.since and whole(lock.since),
    lock.released ~= '' and lock.released, lock.lost and whole(lock.lost), awaited and lock.head,
    awaited and lock.tail, group and string.format('%s %.0f %.0f', lock.kind, lock.used, lock.due),
    #doubts > 0 and table.concat(doubts, ' ')
  }
end

-- The error of a replica, which may not know the latest holds: only a write finds that out. This
-- one changes nothing.
local function stale(key)
  local written = redis.pcall('HDEL', key, '')
  return type(written) == 'table' and string.find(written.err, 'READONLY', 1, true) and written
end

-- Writes what was changed, once. The key lives as long as anything in it matters, and the retention
-- on top. When memory is full Redis refuses a script's first write unless it is HDEL or PEXPIRE:
-- so what is asked of a key that exists passes.
local function settle(lock)
  local key, gone, new = lock.key, {}, {}
  local lifetime = math.max(lock.kind and lock.ends - now or 0, lock.head ~= NOBODY and timeout or 0) + retention
  for id, place in pairs(lock.moved) do
    lock.fields['w:' .. id] = string.format('%s %s %.0f %s %.0f %.0f %.0f %.0f %.0f %.0f %s', place.previous,
      place.next, place.timeout, place.mode, place.lease, place.units, place.limit, place.block,
      place.callers, place.valid, place.client)
  end
  if lock.exists or lock.kind then
    local header = header_of(lock, lifetime)
    for i = 1, #HEADER do
      if header[i] ~= lock.header[i] then
        lock.fields[HEADER[i]] = header[i]
      end
    end
  end
  for field, value in pairs(lock.fields) do
    if value then
      new[#new + 1], new[#new + 2] = field, value
    else
      gone[#gone + 1] = field
    end
  end
  if not next(lock.fields) and #lock.messages == 0 then return stale(key) end
  if not lock.exists then
    -- Refused when memory is full. Alone, as this user may not be allowed what is next.
    redis.call('HSET', key, 'hold', '3:')
  end
  local limited = redis.pcall('PEXPIRE', key, whole(lifetime))
  if type(limited) == 'table' then
    -- The user may not run it. Nothing may last for ever.
    if not lock.exists then redis.call('HDEL', key, 'hold') end
    error(limited.err, 0)
  end
  -- Lua passes no more than a few thousand arguments.
  for i = 1, #new, 1000 do
    redis.call('HSET', key, unpack(new, i, math.min(i + 999, #new)))
  end
  for i = 1, #gone, 1000 do
    redis.call('HDEL', key, unpack(gone, i, math.min(i + 999, #gone)))
  end
  -- A refused message must not undo what was done before it.
  for _, message in ipairs(lock.messages) do
    redis.pcall(publish, message[1], message[2])
  end
end

-- A client without its session.
local function plain(client)
  return string.match(client, '^[^#]*')
end

-- Sends one client a message, after all is written.
local function tell(lock, client, ...)
  lock.messages[#lock.messages + 1] = { channels .. plain(client), table.concat({ '3', ... }, ' ') }
end
--#include lock-holds.lua
--#include lock-places.lua
