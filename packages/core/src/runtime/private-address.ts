/** Networks that are not on the public internet: private, loopback, link-local, shared, reserved and multicast. */
const networks: readonly Network[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', '64:ff9b:1::/48', '2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
].map((text) => {
  const [address, prefix] = text.split('/') as [string, string];
  return { ...parseAddress(address)!, prefix: BigInt(prefix) };
});

/** IPv6 addresses that contain an IPv4 address in their last 32 bits: mapped, translated and NAT64 addresses. */
const WITH_IPV4: readonly bigint[] = [0xffffn, 0xffff_0000n, 0x64_ff9b_0000_0000_0000_0000n];

/**
 * True if the text is not an IP address on the public internet. An IPv4 address inside an IPv6 address is checked as IPv4,
 * also with the prefix of NAT64, which networks without IPv4 use for all servers.
 */
export function isPrivateAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return true;
  const { value, bits } = unwrapIpv4(parsed);
  return networks.some(
    (network) => network.bits === bits && (network.value ^ value) >> (BigInt(bits) - network.prefix) === 0n,
  );
}

interface Address {
  readonly value: bigint;
  readonly bits: 32 | 128;
}

interface Network extends Address {
  readonly prefix: bigint;
}

function unwrapIpv4({ value, bits }: Address): Address {
  if (bits === 32 || !WITH_IPV4.includes(value >> 32n)) return { value, bits };
  return { value: value & 0xffff_ffffn, bits: 32 };
}

function parseAddress(address: string): Address | undefined {
  const value = /^\d+(\.\d+){3}$/.test(address) ? parseIpv4(address) : undefined;
  if (value !== undefined) return { value, bits: 32 };
  // A resolved link-local address ends with the name of its network interface.
  const host = URL.parse(`http://[${address.replace(/%.*$/, '')}]`)?.hostname;
  if (!host?.startsWith('[')) return undefined;
  // The URL has the shortest form with hexadecimal groups.
  const [left, right] = host
    .slice(1, -1)
    .split('::')
    .map((side) => side.split(':').filter(Boolean));
  const missing = 8 - left!.length - (right?.length ?? 0);
  const groups = [...left!, ...Array.from({ length: missing }, () => '0'), ...(right ?? [])];
  return { value: groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n), bits: 128 };
}

function parseIpv4(address: string): bigint | undefined {
  const bytes = address.split('.').map(Number);
  return bytes.every((byte) => byte < 256) ? bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) : undefined;
}
