import { expect, it } from 'vitest';
import { assembleScan } from '../../scripts/assemble-scan.mjs';
import { scanModuleBase64 } from '../../src/vectors/scan-module.ts';

it('has in the sources what the text of the scan assembles to', async () => {
  expect(scanModuleBase64).toBe(Buffer.from(await assembleScan()).toString('base64'));
});
