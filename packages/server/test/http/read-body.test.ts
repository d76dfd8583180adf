import { describe, expect, it } from 'vitest';
import { demo } from '../demo.ts';

describe('readBody', () => {
  it.each(['2', '40', '4000'])('answers 413 for a large body, also if its content-length is %s', async (length) => {
    const { run } = await demo({ limits: { bodyBytes: 50 } });
    const response = await run('/run', {}, { headers: { 'content-length': length } });
    expect([response.status, await response.json()]).toEqual([
      413,
      { detail: 'The body must have at most 50 bytes.', code: 'INVALID_INPUT' },
    ]);
  });
});
