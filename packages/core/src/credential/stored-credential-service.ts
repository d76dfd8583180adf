import { assertSeconds } from '../errors/assert-seconds.ts';
import { failInvalidJson, invalidInput } from '../errors/invalid-input.ts';
import { optionNames } from '../errors/option-names.ts';
import { raceAbort, raceAbortWrite } from '../errors/race-abort.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import { TholeError } from '../errors/thole-error.ts';
import { JsonCopier } from '../json/copy-json.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { systemRuntime } from '../runtime/system-runtime.ts';
import { assertName, assertUser } from '../session/assert-name.ts';
import type { CallOptions, UserRef } from '../session/session-service.ts';
import type { AuthCredential } from './auth-credential.ts';
import { CredentialCipher, isEncrypted } from './credential-cipher.ts';
import type { CredentialRef, CredentialService, PendingAuth, PendingAuthRef } from './credential-service.ts';
import type { CredentialRecord, CredentialRecordKey, CredentialStore } from './credential-store.ts';
import { readAuthConfig, readAuthCredential } from './read-auth-config.ts';

const MAX_BYTES = 64 * 1024;

/** Options of `StoredCredentialService`. */
export interface StoredCredentialServiceOptions {
  runtime?: Runtime | undefined;
  /**
   * Keys that encrypt the records: a list of `<id>:<32 bytes as base64>`, separated by commas. The first key encrypts,
   * all keys decrypt. Default: records are not encrypted.
   */
  encryptionKeys?: string | undefined;
}

/** Implements the rules that all stores of credentials share: validation, encryption and expiry. */
export class StoredCredentialService implements CredentialService {
  readonly #store: CredentialStore;
  readonly #runtime: Runtime;
  readonly #cipher: CredentialCipher | undefined;

  constructor(store: CredentialStore, options: StoredCredentialServiceOptions = {}) {
    const known = optionNames<StoredCredentialServiceOptions>({ runtime: true, encryptionKeys: true });
    rejectUnknownOptions(options, known, 'StoredCredentialService');
    this.#store = store;
    this.#runtime = options.runtime ?? systemRuntime();
    this.#cipher = options.encryptionKeys === undefined ? undefined : new CredentialCipher(options.encryptionKeys);
  }

  async saveCredential(p: CredentialRef & { credential: AuthCredential } & CallOptions): Promise<void> {
    const key = credentialKeyOf(p);
    await this.#put(key, toContent(readAuthCredential(p.credential)), undefined, p.signal);
  }

  async loadCredential(p: CredentialRef & CallOptions): Promise<AuthCredential | undefined> {
    const content = await this.#get(credentialKeyOf(p), p.signal);
    return content === undefined ? undefined : readAuthCredential(JSON.parse(content));
  }

  async listCredentialKeys(p: UserRef & CallOptions): Promise<string[]> {
    assertUser(p);
    p.signal?.throwIfAborted();
    const scope = { appName: p.appName, userId: p.userId, kind: 'credential' } as const;
    const names = await raceAbort(this.#store.names(scope), p.signal);
    return names.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  async deleteCredential(p: CredentialRef & CallOptions): Promise<void> {
    await this.#remove(credentialKeyOf(p), p.signal);
  }

  async deleteUserCredentials(p: UserRef & CallOptions): Promise<void> {
    assertUser(p);
    p.signal?.throwIfAborted();
    await raceAbortWrite(this.#store.removeAll({ appName: p.appName, userId: p.userId }), p.signal);
  }

  async savePendingAuth(p: PendingAuthRef & { pending: PendingAuth } & CallOptions): Promise<void> {
    const key = pendingKeyOf(p);
    const pending = readPending(p.pending);
    await this.#put(key, toContent(pending), pending.expiresAt, p.signal);
  }

  async loadPendingAuth(p: PendingAuthRef & CallOptions): Promise<PendingAuth | undefined> {
    const content = await this.#get(pendingKeyOf(p), p.signal);
    return content === undefined ? undefined : readPending(JSON.parse(content));
  }

  async deletePendingAuth(p: PendingAuthRef & CallOptions): Promise<void> {
    await this.#remove(pendingKeyOf(p), p.signal);
  }

  async #put(
    key: CredentialRecordKey,
    text: string,
    expiresAt: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const content = this.#cipher ? await this.#encrypt(this.#cipher, key, text) : text;
    signal?.throwIfAborted();
    const record: CredentialRecord = { content, ...(expiresAt !== undefined && { expiresAt }) };
    await raceAbortWrite(this.#store.put(key, record, this.#runtime.now()), signal);
  }

  // A new key with the id of an earlier key would make earlier records unreadable. Decrypting the replaced record detects it.
  async #encrypt(cipher: CredentialCipher, key: CredentialRecordKey, text: string): Promise<string> {
    const earlier = await this.#store.get(key);
    if (earlier && cipher.hasKeyOf(earlier.content)) await cipher.decrypt(earlier.content, contextOf(key));
    return cipher.encrypt(text, contextOf(key));
  }

  async #get(key: CredentialRecordKey, signal: AbortSignal | undefined): Promise<string | undefined> {
    signal?.throwIfAborted();
    const record = await raceAbort(this.#store.get(key), signal);
    if (!record) return undefined;
    if (record.expiresAt !== undefined && record.expiresAt <= this.#runtime.now()) return undefined;
    if (this.#cipher) return this.#cipher.decrypt(record.content, contextOf(key));
    if (isEncrypted(record.content)) {
      throw new TholeError('CREDENTIAL_UNREADABLE', 'A stored credential is encrypted, and there are no keys.');
    }
    return record.content;
  }

  async #remove(key: CredentialRecordKey, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await raceAbortWrite(this.#store.remove(key), signal);
  }
}

function credentialKeyOf(p: CredentialRef): CredentialRecordKey {
  assertUser(p);
  assertName('credentialKey', p.credentialKey);
  return { appName: p.appName, userId: p.userId, kind: 'credential', name: p.credentialKey };
}

function pendingKeyOf(p: PendingAuthRef): CredentialRecordKey {
  assertUser(p);
  assertName('interruptId', p.interruptId);
  return { appName: p.appName, userId: p.userId, kind: 'signIn', name: p.interruptId };
}

/** Returns the text that binds a record to its owner, so that it cannot be moved to another user. */
function contextOf({ appName, userId, kind, name }: CredentialRecordKey): string {
  return JSON.stringify([appName, userId, kind, name]);
}

function readPending(value: unknown): PendingAuth {
  if (!isPlainObject(value)) throw invalidInput('pending', 'an object with authConfig', value);
  const { expiresAt, isExchanged } = value;
  if (expiresAt !== undefined) assertSeconds('pending.expiresAt', expiresAt);
  return {
    authConfig: readAuthConfig(value['authConfig'], 'pending.authConfig'),
    ...(expiresAt !== undefined && { expiresAt: expiresAt as number }),
    ...(isExchanged === true && { isExchanged }),
  };
}

function toContent(value: object): string {
  const text = JSON.stringify(new JsonCopier(failInvalidJson).copy(value, 'credential'));
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_BYTES) return text;
  throw new TholeError('VALUE_TOO_LARGE', `The credential has ${bytes} bytes. The maximum is ${MAX_BYTES}.`);
}
