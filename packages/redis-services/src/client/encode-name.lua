-- Shared code: `encode_name(name)` does the same as `encodeName` of redis-keys.ts.
local function encode_name(name)
  return (string.gsub(name, '[^%w_.-]', function(c) return string.format('%%%02X', string.byte(c)) end))
end
