import { expect, it } from 'vitest';
import { demo } from '../demo.ts';

it.each(['2', '40', '4000'])(
  'takes no more than a body may have, also where the request says that it has %s bytes',
  async (length) => {
    const { run } = await demo({ limits: { bodyBytes: 50 } });
    const response = await run('/run', {}, { headers: { 'content-length': length } });
    expect([response.status, await response.json()]).toEqual([
      413,
      { detail: 'The body must have at most 50 bytes.', code: 'INVALID_INPUT' },
    ]);
  },
);
