import { expect, it } from 'vitest';
import { assembleScan } from '../../scripts/assemble-scan.mjs';
import { scanBytes } from '../../src/vectors/scan-bytes.ts';

it('has in the sources what the text of the scan assembles to', async () => {
  expect(scanBytes).toBe(Buffer.from(await assembleScan()).toString('base64'));
});
