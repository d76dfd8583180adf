import { SqlArtifactStore, SqlCredentialStore, SqlMemoryStore, SqlSessionStore } from '@thole/sql-services';
import { describe, expect, it } from 'vitest';

const stores = { SqlArtifactStore, SqlCredentialStore, SqlMemoryStore, SqlSessionStore };

describe.each(Object.entries(stores))('%s', (_, Store) => {
  it('has its connection closed by await using', async () => {
    const store = new Store({ dbUrl: 'sqlite://:memory:' });
    {
      await using open = store;
      await open.migrate();
      await open.ping();
      await open.compact();
    }
    await expect(store.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
