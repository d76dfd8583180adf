import { DatabaseSessionService } from '@thole/sql-services';
import { describe, onTestFinished } from 'vitest';
import { waitingSessionTests } from '../support/waiting-session-tests.ts';

describe('A waiting session (SQLite)', () => {
  waitingSessionTests((options) => {
    const service = new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', ...options });
    onTestFinished(() => service.close());
    return service;
  });
});
