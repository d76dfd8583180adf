import { describe, expect, it } from 'vitest';
import { isPrivateAddress } from '../../src/runtime/private-address.ts';

describe('isPrivateAddress', () => {
  it.each([
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.9.9.9',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...['192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::127.0.0.1',
      '::ffff:127.0.0.1',
      '::ffff:0:127.0.0.1',
      '::ffff:a00:1',
      '64:ff9b::7f00:1',
      '64:ff9b::1',
      '64:ff9b::10.0.0.1',
      'fd00::1',
      'fe80::1',
      'ff02::1',
      '2002:7f00:1::',
    ],
    ...['fe80::1%eth0', '256.1.1.1', '1.2.3', 'localhost', ''],
  ])('is true for %s', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.1.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9b::8.8.8.8',
  ])('is false for %s', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});
