import { DatabaseSessionService } from '@thole/sql-services';
import { describe, expect, it } from 'vitest';

describe('DatabaseSessionService.isDurable', () => {
  it.each([
    ['sqlite://:memory:', false],
    ['sqlite://', false],
    ['sqlite:///./sessions.db', true],
    ['sqlite:////var/sessions.db', true],
    ['postgresql://ann@127.0.0.1/thole', true],
    ['mysql://ann@127.0.0.1/thole', true],
  ])('of %s is %s', async (dbUrl, isDurable) => {
    // The constructor opens nothing.
    const service = new DatabaseSessionService(dbUrl);
    expect(service.isDurable).toBe(isDurable);
    await service.close();
  });
});
