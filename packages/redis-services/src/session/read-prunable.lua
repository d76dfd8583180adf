-- Reads the head of a session whose oldest event may be deleted.
-- KEYS: record, events.
-- ARGV: deadline, time (s) from which events remain, or ''; number of events at the end that remain.
-- Returns: [incarnation, last seq, number of events that were pruned before, initial state, marks …], or an empty list if there is
--   nothing to delete.
-- @include client/prelude
local record = redis.call('HMGET', KEYS[1], 'v', 'inc', 'seq', 'cut', 'init', 'unfinished', 'wakeAt', 'openInterrupts', 'exp')
if record[1] ~= '1' or (record[9] and tonumber(record[9]) <= now) then return {} end
local cut = record[4] or '0'
if record[3] - cut - ARGV[3] <= 0 then return {} end
local first = redis.call('LINDEX', KEYS[2], 0)
if not first then return {} end
if ARGV[2] ~= '' and tonumber(string.match(first, '^[^\n]+')) >= tonumber(ARGV[2]) then return {} end
return {record[2], record[3], cut, record[5], record[6] or '', record[7] or '', record[8] or ''}
