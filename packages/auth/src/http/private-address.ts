import { BlockList, isIP } from 'node:net';

/** Networks that are not on the public internet: private, loopback, link-local, shared, reserved and multicast. */
const networks: readonly (readonly [address: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const blocked = createBlockList();

/**
 * True if the IP address is not on the public internet. An IPv4 address inside an IPv6 address counts as IPv4, also behind
 * the prefix of NAT64, which networks without IPv4 use for all servers.
 */
export function isPrivateAddress(address: string): boolean {
  const translated = isIP(address) === 6 ? translatedAddress(address) : undefined;
  if (translated !== undefined) return blocked.check(translated, 'ipv4');
  return blocked.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function translatedAddress(address: string): string | undefined {
  // The URL has the shortest form with hexadecimal groups.
  const host = URL.parse(`http://[${address}]`)?.hostname ?? '';
  const [, high = '0', low] = /^\[64:ff9b::(?:([0-9a-f]+):)?([0-9a-f]+)\]$/.exec(host) ?? [];
  if (low === undefined) return undefined;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

function createBlockList(): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}
