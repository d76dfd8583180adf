import assert from 'node:assert/strict';
import type { AuthConfig, AuthCredential, CredentialRef, CredentialService, PendingAuthRef } from '@thole/core';
import type { Case } from '../case.ts';
import { notJson, rejectsWith, same } from './session-support.ts';
import { reopen } from './reopen.ts';

type CredentialCase = Case<CredentialService>;

const oddNames = ['a/b', 'a', 'A', 'a ', ' a', 'a:b', 'a*', '%', '_', 'é', 'e\u0301', '🙂', '"', '\n', '__proto__'];

/** Pending sign-ins. */
const pendingCases: readonly CredentialCase[] = [
  {
    id: 'credential.sign-in',
    sentence: 'stores a sign-in with state, nonce, verifier and client secret apart from credentials',
    contracts: [44],
    async check(service, t) {
      const pending = { authConfig: signIn, expiresAt: t.runtime.now() + 60 };
      await service.savePendingAuth({ ...interrupt(), pending });
      same(await service.loadPendingAuth(interrupt()), pending);
      same(await service.loadCredential(credential('i')), undefined);
      same(await service.listCredentialKeys(user()), []);
      await service.savePendingAuth({ ...interrupt(), pending: { ...pending, isExchanged: true } });
      same(await service.loadPendingAuth(interrupt()), { ...pending, isExchanged: true });
      await service.deletePendingAuth(interrupt());
      await service.deletePendingAuth(interrupt());
      same(await service.loadPendingAuth(interrupt()), undefined);
    },
  },
  {
    id: 'credential.sign-in-expiry',
    sentence: 'returns a sign-in until its expiresAt, and forever without one',
    contracts: [44],
    async check(service, t) {
      const now = t.runtime.now();
      await service.savePendingAuth({ ...interrupt('long'), pending: { authConfig: signIn } });
      await service.savePendingAuth({ ...interrupt('later'), pending: { authConfig: signIn, expiresAt: now + 60 } });
      await service.savePendingAuth({ ...interrupt('soon'), pending: { authConfig: signIn, expiresAt: now + 10 } });
      await service.saveCredential({ ...credential(), credential: token('t') });
      await t.runtime.advance(10_000);
      same(await service.loadPendingAuth(interrupt('soon')), undefined);
      await t.runtime.advance(1_000);
      // A write may remove only expired sign-ins.
      await service.savePendingAuth({ ...interrupt('other'), pending: { authConfig: signIn, expiresAt: now + 90 } });
      const found = await Promise.all(['long', 'later', 'other'].map((id) => service.loadPendingAuth(interrupt(id))));
      assert.ok(
        found.every((each) => each !== undefined),
        'sign-ins that have not expired must be kept',
      );
      await t.runtime.advance(1_000_000);
      assert.ok(await service.loadPendingAuth(interrupt('long')), 'a sign-in without expiresAt must be kept');
      same(await service.loadCredential(credential()), token('t'));
    },
  },
  {
    id: 'credential.sign-in-scoped',
    sentence: 'keeps sign-ins of one interrupt id apart by user and app',
    contracts: [1, 44],
    async check(service) {
      const refs = [interrupt(), interrupt('i', 'u2'), interrupt('i', 'u', 'app2'), interrupt('i2')];
      await service.savePendingAuth({ ...refs[0]!, pending: { authConfig: signIn } });
      for (const ref of refs.slice(1)) same(await service.loadPendingAuth(ref), undefined, JSON.stringify(ref));
      for (const [i, ref] of refs.entries()) {
        await service.savePendingAuth({ ...ref, pending: { authConfig: { ...signIn, credentialKey: `k${i}` } } });
      }
      await service.deletePendingAuth(refs[0]!);
      const found = await Promise.all(refs.map((ref) => service.loadPendingAuth(ref)));
      same(
        found.map((each) => each?.authConfig.credentialKey),
        [undefined, 'k1', 'k2', 'k3'],
      );
    },
  },
];

/** The promises of every credential service. Claims: `durable` (requires `reopen`). */
export const credentialServiceCases: readonly CredentialCase[] = [
  {
    id: 'credential.saved',
    sentence: 'returns a saved credential, replaces it, and deletes it',
    contracts: [44],
    async check(service) {
      same(await service.loadCredential(credential()), undefined);
      await service.saveCredential({ ...credential(), credential: full });
      same(await service.loadCredential(credential()), full);
      await service.saveCredential({ ...credential(), credential: token('new') });
      same(await service.loadCredential(credential()), token('new'));
      for (let i = 0; i < 2; i++) await service.deleteCredential(credential());
      same(await service.loadCredential(credential()), undefined);
      same(await service.listCredentialKeys(user()), []);
    },
  },
  {
    id: 'credential.both-spellings',
    sentence: 'accepts snake_case and returns camelCase',
    contracts: [44],
    async check(service) {
      const snake = { auth_type: 'oauth2', oauth2: { access_token: 't', expires_at: 7 } };
      await service.saveCredential({ ...credential(), credential: snake as never });
      same(await service.loadCredential(credential()), {
        authType: 'oauth2',
        oauth2: { accessToken: 't', expiresAt: 7 },
      });
    },
  },
  {
    id: 'credential.scoped',
    sentence: 'keeps credentials of one key apart by user and app',
    contracts: [1, 44],
    async check(service) {
      const refs = [credential(), credential('k', 'u2'), credential('k', 'u', 'app2'), credential('k2')];
      await service.saveCredential({ ...refs[0]!, credential: token('first') });
      for (const ref of refs.slice(1)) same(await service.loadCredential(ref), undefined, JSON.stringify(ref));
      for (const [i, ref] of refs.entries()) await service.saveCredential({ ...ref, credential: token(`${i}`) });
      await service.deleteCredential(refs[0]!);
      for (const [i, ref] of refs.entries()) {
        same(await service.loadCredential(ref), i === 0 ? undefined : token(`${i}`), JSON.stringify(ref));
      }
    },
  },
  {
    id: 'credential.listed',
    sentence: 'lists the sorted keys of one user, each once',
    contracts: [44],
    async check(service) {
      for (const key of ['b', 'a', 'b', 'é', 'A']) {
        await service.saveCredential({ ...credential(key), credential: token(key) });
      }
      await service.saveCredential({ ...credential('no', 'u2'), credential: token('no') });
      same(await service.listCredentialKeys(user()), ['A', 'a', 'b', 'é']);
      same(await service.listCredentialKeys(user('u3')), []);
    },
  },
  {
    id: 'credential.odd-names',
    sentence: 'keeps odd keys, users and apps apart',
    contracts: [1, 44],
    async check(service) {
      const long = ['x'.repeat(512), `${'x'.repeat(511)}y`];
      const refs = [...oddNames, ...long].flatMap((name) => [
        credential(name),
        credential('k', name),
        credential('k', 'u', name),
      ]);
      refs.push(credential('c', 'b', 'a/b'), credential('c', 'a/b', 'b'));
      for (const [i, ref] of refs.entries()) await service.saveCredential({ ...ref, credential: token(`${i}`) });
      for (const [i, ref] of refs.entries()) {
        same(await service.loadCredential(ref), token(`${i}`), JSON.stringify(ref));
      }
    },
  },
  {
    id: 'credential.refused',
    sentence: 'rejects invalid names and credentials with INVALID_INPUT and stores nothing',
    contracts: [1, 42, 44],
    async check(service) {
      for (const name of ['', 'a\0b', '\ud800', 'x'.repeat(513), 7 as never]) {
        await rejectsWith('INVALID_INPUT', service.saveCredential({ ...credential(name), credential: token('t') }));
        await rejectsWith('INVALID_INPUT', service.loadCredential(credential(name)));
        await rejectsWith('INVALID_INPUT', service.deleteCredential(credential('k', name)));
        await rejectsWith('INVALID_INPUT', service.listCredentialKeys(user(name)));
        await rejectsWith('INVALID_INPUT', service.deleteUserCredentials(user('u', name)));
        await rejectsWith('INVALID_INPUT', service.loadPendingAuth(interrupt(name)));
        const pending = { authConfig: signIn };
        await rejectsWith('INVALID_INPUT', service.savePendingAuth({ ...interrupt(name), pending }));
      }
      for (const wrong of ['t', {}, { authType: 'magic' }, { authType: 'oauth2', oauth2: { accessToken: 7 } }]) {
        await rejectsWith('INVALID_INPUT', service.saveCredential({ ...credential(), credential: wrong as never }));
      }
      for (const [kind, value] of notJson()) {
        const wrong = { authType: 'serviceAccount', serviceAccount: { value } } as const;
        await rejectsWith('INVALID_INPUT', service.saveCredential({ ...credential(), credential: wrong }), kind);
      }
      await rejectsWith('INVALID_INPUT', service.savePendingAuth({ ...interrupt(), pending: {} as never }));
      same(await service.listCredentialKeys(user()), []);
    },
  },
  {
    id: 'credential.too-large',
    sentence: 'rejects a credential above 64 KiB with VALUE_TOO_LARGE and keeps the earlier one',
    contracts: [44],
    async check(service) {
      await service.saveCredential({ ...credential(), credential: token('x'.repeat(60_000)) });
      const large = token('é'.repeat(33_000));
      await rejectsWith('VALUE_TOO_LARGE', service.saveCredential({ ...credential(), credential: large }));
      same(await service.loadCredential(credential()), token('x'.repeat(60_000)));
    },
  },
  {
    id: 'credential.copies',
    sentence: 'shares no object with the caller',
    contracts: [9, 44],
    async check(service) {
      const saved = token('t');
      await service.saveCredential({ ...credential(), credential: saved });
      saved.oauth2!.accessToken = 'changed';
      const loaded = (await service.loadCredential(credential()))!;
      same(loaded, token('t'));
      loaded.oauth2!.accessToken = 'changed';
      same(await service.loadCredential(credential()), token('t'));
    },
  },
  {
    id: 'credential.user-deleted',
    sentence: 'deletes the credentials and sign-ins of the given user only',
    contracts: [12, 44],
    async check(service) {
      const kept = [credential('k', 'u2'), credential('k', 'u', 'app2'), credential('k', '*'), credential('k', '%')];
      for (const ref of [credential(), credential('k2'), ...kept]) {
        await service.saveCredential({ ...ref, credential: token('t') });
      }
      await service.savePendingAuth({ ...interrupt(), pending: { authConfig: signIn } });
      await service.savePendingAuth({ ...interrupt('i', 'u2'), pending: { authConfig: signIn } });
      for (let i = 0; i < 2; i++) await service.deleteUserCredentials(user());
      same(await service.listCredentialKeys(user()), []);
      same(await service.loadCredential(credential()), undefined);
      same(await service.loadPendingAuth(interrupt()), undefined);
      for (const ref of kept) same(await service.loadCredential(ref), token('t'), JSON.stringify(ref));
      assert.ok(await service.loadPendingAuth(interrupt('i', 'u2')), 'the sign-in of another user must be kept');
    },
  },
  {
    id: 'credential.concurrent',
    sentence: 'keeps every one of 20 credentials that are saved at the same time',
    contracts: [44],
    async check(service) {
      const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
      await Promise.all(keys.map((key) => service.saveCredential({ ...credential(key), credential: token(key) })));
      const found = await Promise.all(keys.map((key) => service.loadCredential(credential(key))));
      same(found, keys.map(token));
    },
  },
  {
    id: 'credential.aborted',
    sentence: 'stores nothing if the signal is aborted before the call',
    contracts: [44],
    async check(service) {
      const signal = AbortSignal.abort(new Error('stop'));
      await assert.rejects(service.saveCredential({ ...credential(), credential: token('t'), signal }), /stop/);
      await assert.rejects(service.loadCredential({ ...credential(), signal }), /stop/);
      same(await service.listCredentialKeys(user()), []);
    },
  },
  {
    id: 'credential.durable',
    sentence: 'returns credentials and sign-ins to another process',
    contracts: [44],
    needs: ['durable'],
    async check(service, t) {
      await service.saveCredential({ ...credential(), credential: full });
      await service.savePendingAuth({ ...interrupt(), pending: { authConfig: signIn } });
      const other = await reopen(t);
      same(await other.loadCredential(credential()), full);
      same(await other.loadPendingAuth(interrupt()), { authConfig: signIn });
    },
  },
  ...pendingCases,
];

const full: AuthCredential = {
  authType: 'oauth2',
  oauth2: { clientId: 'c', accessToken: 'a.b-c_d/é🙂', refreshToken: 'r', expiresAt: 1_800_000_000.5, expiresIn: 3600 },
};

const signIn: AuthConfig = {
  authScheme: {
    type: 'oauth2',
    flows: {
      authorizationCode: { authorizationUrl: 'https://as/a', tokenUrl: 'https://as/t', scopes: { read_all: 'x' } },
    },
  },
  rawAuthCredential: { authType: 'oauth2', oauth2: { clientId: 'c', clientSecret: 'secret' } },
  exchangedAuthCredential: {
    authType: 'oauth2',
    oauth2: { authUri: 'https://as/a?x=1', state: 's', nonce: 'n', codeVerifier: 'v' },
  },
  credentialKey: 'k',
};

function token(accessToken: string): AuthCredential {
  return { authType: 'oauth2', oauth2: { accessToken } };
}

function user(userId = 'u', appName = 'app'): { appName: string; userId: string } {
  return { appName, userId };
}

function credential(credentialKey = 'k', userId = 'u', appName = 'app'): CredentialRef {
  return { appName, userId, credentialKey };
}

function interrupt(interruptId = 'i', userId = 'u', appName = 'app'): PendingAuthRef {
  return { appName, userId, interruptId };
}
