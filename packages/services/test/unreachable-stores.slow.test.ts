import { createSessionService } from '@thole/services';
import { describe, expect, it } from 'vitest';

describe('createSessionService', () => {
  it.each(['postgresql://nobody@127.0.0.1:1/none', 'mysql://nobody@127.0.0.1:1/none', 'redis://127.0.0.1:1'])(
    'rejects %s at once because no store answers',
    { timeout: 60_000 },
    async (uri) => {
      await expect(createSessionService(uri)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    },
  );
});
