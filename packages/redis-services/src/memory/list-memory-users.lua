-- Reads a page of the users of an app who have or had memory.
-- KEYS: the app's memory users.
-- ARGV: deadline, the last user of the previous page or '', maximum number of users.
-- Returns: [user, …] in byte order.
return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[2] == '' and '-' or '(' .. ARGV[2], '+', 'LIMIT', 0, ARGV[3])
