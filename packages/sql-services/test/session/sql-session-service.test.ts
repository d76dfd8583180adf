import { DatabaseSessionService, SqlSessionStore } from '@thole/sql-services';
import { leaseStoreCases, register, sessionServiceCases, sessionStoreCases } from '@thole/testing';
import { describe, it } from 'vitest';

register({ describe, it }, [...leaseStoreCases, ...sessionStoreCases], {
  name: 'SqlSessionStore (SQLite)',
  claims: ['lease', 'watch', 'last-event'],
  create: (runtime) => new SqlSessionStore({ dbUrl: 'sqlite://:memory:', runtime }),
  destroy: (store) => (store as SqlSessionStore).close(),
});

// `sql-session-service.slow.test.ts` runs all cases of services.
register(
  { describe, it },
  sessionServiceCases.filter((each) => each.needs?.includes('ttl-60s')),
  {
    name: 'DatabaseSessionService (SQLite, sessionTtlMs: 60,000)',
    claims: ['ttl-60s'],
    create: (runtime) => new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', runtime, sessionTtlMs: 60_000 }),
    destroy: (service) => (service as DatabaseSessionService).close(),
  },
);
