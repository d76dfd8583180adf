import { expect, it } from 'vitest';
import { sha256Hex } from '../../src/runtime/sha256-hex.ts';

it('sha256Hex returns the SHA-256 of the UTF-8 bytes of a text', async () => {
  expect(await sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(await sha256Hex('ä')).toBe('33e6d73fee82904c8d7afb78de1154d1e8dc2a0edb08120e63df5b9385c2d9cc');
});
