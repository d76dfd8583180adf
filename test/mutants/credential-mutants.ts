import { StoredCredentialService } from '@thole/core';
import type {
  CredentialRecord,
  CredentialRecordKey,
  CredentialRef,
  CredentialService,
  PendingAuthRef,
  UserRef,
} from '@thole/core';
import { InMemoryCredentialStore } from '@thole/mem-services';
import type { Mutant } from './mutant.ts';

export const credentialMutants: readonly Mutant<CredentialService>[] = [
  mutant(
    'ignores the user',
    44,
    class extends InMemoryCredentialStore {
      override get(key: CredentialRecordKey): Promise<CredentialRecord | undefined> {
        return super.get(key).then((found) => found ?? super.get({ ...key, userId: 'u' }));
      }
    },
  ),
  mutant(
    'ignores the app',
    44,
    class extends InMemoryCredentialStore {
      override put(key: CredentialRecordKey, record: CredentialRecord, now: number): Promise<void> {
        return super.put({ ...key, appName: 'app' }, record, now);
      }
      override get(key: CredentialRecordKey): Promise<CredentialRecord | undefined> {
        return super.get({ ...key, appName: 'app' });
      }
    },
  ),
  mutant(
    'ignores the case of keys',
    1,
    class extends InMemoryCredentialStore {
      override put(key: CredentialRecordKey, record: CredentialRecord, now: number): Promise<void> {
        return super.put({ ...key, name: key.name.toLowerCase() }, record, now);
      }
      override get(key: CredentialRecordKey): Promise<CredentialRecord | undefined> {
        return super.get({ ...key, name: key.name.toLowerCase() });
      }
    },
  ),
  mutant(
    'mixes sign-ins with credentials',
    44,
    class extends InMemoryCredentialStore {
      override names({ appName, userId }: UserRef): Promise<string[]> {
        const of = (kind: 'credential' | 'signIn') => super.names({ appName, userId, kind });
        return Promise.all([of('credential'), of('signIn')]).then((both) => both.flat());
      }
    },
  ),
  mutant(
    'keeps sign-ins of a deleted user',
    44,
    class extends InMemoryCredentialStore {
      override async removeAll(user: UserRef): Promise<void> {
        for (const name of await this.names({ ...user, kind: 'credential' })) {
          await this.remove({ ...user, kind: 'credential', name });
        }
      }
    },
  ),
  mutant(
    'deletes nothing of a deleted user',
    12,
    class extends InMemoryCredentialStore {
      override async removeAll(): Promise<void> {}
    },
  ),
  mutant(
    'drops the expiry time of a sign-in',
    44,
    class extends InMemoryCredentialStore {
      override put(key: CredentialRecordKey, { content }: CredentialRecord, now: number): Promise<void> {
        return super.put(key, { content }, now);
      }
    },
  ),
  mutant(
    'removes every record that is not new',
    44,
    class extends InMemoryCredentialStore {
      override async put(key: CredentialRecordKey, record: CredentialRecord, now: number): Promise<void> {
        await this.removeAll(key);
        return super.put(key, record, now);
      }
    },
  ),
  mutant(
    'loses one of two writes at the same time',
    44,
    class extends InMemoryCredentialStore {
      #isWriting = false;
      override async put(key: CredentialRecordKey, record: CredentialRecord, now: number): Promise<void> {
        if (this.#isWriting) return;
        this.#isWriting = true;
        await super.put(key, record, now);
        this.#isWriting = false;
      }
    },
  ),
  mutant(
    'keeps a deleted credential',
    44,
    class extends InMemoryCredentialStore {
      override async remove(): Promise<void> {}
    },
  ),
  mutant(
    'keeps the first of two credentials',
    44,
    class extends InMemoryCredentialStore {
      override async put(key: CredentialRecordKey, record: CredentialRecord, now: number): Promise<void> {
        if (!(await this.get(key))) await super.put(key, record, now);
      }
    },
  ),
  serviceMutant(
    'shares the saved object',
    9,
    (Base) =>
      class extends Base {
        readonly #shared = new Map<string, object>();
        override async saveCredential(p: Parameters<CredentialService['saveCredential']>[0]): Promise<void> {
          await super.saveCredential(p);
          this.#shared.set(p.credentialKey, p.credential);
        }
        override async loadCredential(p: CredentialRef): ReturnType<CredentialService['loadCredential']> {
          const found = await super.loadCredential(p);
          return found && ((this.#shared.get(p.credentialKey) ?? found) as typeof found);
        }
      },
  ),
  serviceMutant(
    'returns expired sign-ins',
    44,
    (Base) =>
      class extends Base {
        readonly #saved = new Map<string, Parameters<CredentialService['savePendingAuth']>[0]['pending']>();
        override async savePendingAuth(p: Parameters<CredentialService['savePendingAuth']>[0]): Promise<void> {
          await super.savePendingAuth(p);
          this.#saved.set(JSON.stringify([p.appName, p.userId, p.interruptId]), p.pending);
        }
        override async loadPendingAuth(p: PendingAuthRef): ReturnType<CredentialService['loadPendingAuth']> {
          await super.loadPendingAuth(p);
          return this.#saved.get(JSON.stringify([p.appName, p.userId, p.interruptId]));
        }
      },
  ),
  serviceMutant(
    'accepts empty keys',
    1,
    (Base) =>
      class extends Base {
        override async loadCredential(p: CredentialRef): ReturnType<CredentialService['loadCredential']> {
          return p.credentialKey === '' ? undefined : super.loadCredential(p);
        }
      },
  ),
  serviceMutant(
    'accepts any size',
    44,
    (Base) =>
      class extends Base {
        override saveCredential(p: Parameters<CredentialService['saveCredential']>[0]): Promise<void> {
          return super.saveCredential(p).catch((error: { code?: string }) => {
            if (error.code !== 'VALUE_TOO_LARGE') throw error;
          });
        }
      },
  ),
  serviceMutant(
    'ignores the signal',
    44,
    (Base) =>
      class extends Base {
        override saveCredential(p: Parameters<CredentialService['saveCredential']>[0]): Promise<void> {
          return super.saveCredential({ ...p, signal: undefined });
        }
      },
  ),
];

function mutant(id: string, contract: number, Store: new () => InMemoryCredentialStore): Mutant<CredentialService> {
  return { id, contract, create: (runtime) => new StoredCredentialService(new Store(), { runtime }) };
}

function serviceMutant(
  id: string,
  contract: number,
  broken: (Base: typeof StoredCredentialService) => typeof StoredCredentialService,
): Mutant<CredentialService> {
  return {
    id,
    contract,
    create: (runtime) => new (broken(StoredCredentialService))(new InMemoryCredentialStore(), { runtime }),
  };
}
