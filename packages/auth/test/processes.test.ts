import { StoredCredentialService } from '@thole/core';
import type { CredentialRecord, CredentialRecordKey } from '@thole/core';
import { InMemoryCredentialStore } from '@thole/mem-services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OAuthAuthenticator } from '../src/index.ts';
import { AuthFixture, interrupt, user } from './server/auth-fixture.ts';
import { OidcServer, REDIRECT_URI, SECRET } from './server/oidc-server.ts';

const oldKey = `old:${btoa('a'.repeat(32))}`;
const newKey = `new:${btoa('b'.repeat(32))}`;
let server: OidcServer;

beforeAll(async () => {
  server = await OidcServer.start();
});
afterAll(() => server.close());

describe('Sign-in across processes', () => {
  it('finishes in a process with newer encryption keys, and stores encrypted text only (contract 44)', async () => {
    const fixture = new AuthFixture(server.url);
    const { runtime } = fixture;
    const store = new InMemoryCredentialStore();
    const contents: string[] = [];
    const put = store.put.bind(store);
    store.put = (key: CredentialRecordKey, record: CredentialRecord, now: number) => {
      contents.push(record.content);
      return put(key, record, now);
    };
    const processWith = (encryptionKeys: string): OAuthAuthenticator =>
      fixture.another({ credentialService: new StoredCredentialService(store, { runtime, encryptionKeys }) });
    const authConfig = fixture.openId();

    const shown = await processWith(oldKey).beginSignIn({ ...interrupt, authConfig });
    const response = { authResponseUri: await fixture.openAuthUri(shown), redirectUri: REDIRECT_URI };
    const { status } = await processWith(`${newKey},${oldKey}`).finishSignIn({ ...interrupt, response });
    await runtime.advance(3_600_000);
    const credential = await processWith(newKey).loadCredential({ ...user, authConfig });

    expect([status, credential?.oauth2?.accessToken]).toEqual(['received', expect.any(String)]);
    expect(contents.map((text) => text.split('.')[1])).toEqual(['old', 'new', 'new', 'new']);
    expect(contents.filter((text) => text.includes(SECRET) || text.includes('accessToken'))).toEqual([]);
    await expect(processWith(oldKey).loadCredential({ ...user, authConfig })).rejects.toMatchObject({
      code: 'CREDENTIAL_UNREADABLE',
    });
  });
});
