import { describe, expect, it } from 'vitest';
import { assembleScan } from '../../scripts/assemble-scan.mjs';
import { scanModuleBase64 } from '../../src/vectors/scan-module.ts';

describe('scanModuleBase64', () => {
  it('equals the module that scan.wat assembles to', async () => {
    expect(scanModuleBase64).toBe(Buffer.from(await assembleScan()).toString('base64'));
  });
});
