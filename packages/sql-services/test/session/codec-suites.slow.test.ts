import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import { artifactServiceCases, register, sessionServiceCases } from '@thole/testing';
import { describe, it } from 'vitest';
import { encryptingCodec } from '../support/encrypting-codec.ts';

register(
  { describe, it },
  sessionServiceCases.filter((each) => /^(state|event|append|window)\./.test(each.id)),
  {
    name: 'DatabaseSessionService (SQLite, encrypted)',
    create: (runtime) => new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', runtime, codec: encryptingCodec }),
    destroy: (service) => (service as DatabaseSessionService).close(),
  },
);

register({ describe, it }, artifactServiceCases, {
  name: 'DatabaseArtifactService (SQLite, encrypted)',
  claims: [],
  create: (runtime) =>
    new DatabaseArtifactService({ dbUrl: 'sqlite://:memory:', runtime, codec: encryptingCodec, maxBytes: 65_536 }),
  destroy: (service) => (service as DatabaseArtifactService).close(),
});
