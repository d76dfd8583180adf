/** Lua for other scripts: `encode(name)`, as `encodeName` of redis-keys.ts. */
export const ENCODE_NAME = `
local function encode(name)
  return (string.gsub(name, '[^%w_.-]', function(c) return string.format('%%%02X', string.byte(c)) end))
end
`;
