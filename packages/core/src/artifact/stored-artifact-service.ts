import { checkContent } from '../content/check-content.ts';
import type { Part } from '../content/content.ts';
import { failInvalidJson, invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { orAborted } from '../errors/wait.ts';
import { JsonCopier } from '../json/copy-json.ts';
import type { JsonObject } from '../json/json.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { systemRuntime } from '../runtime/system-runtime.ts';
import { checkName, checkSessionRef, checkUser } from '../session/check-name.ts';
import type { SessionRef } from '../session/session.ts';
import type { Call, UserRef } from '../session/session-service.ts';
import type { ArtifactRef, ArtifactService, ArtifactVersion } from './artifact-service.ts';
import type { ArtifactKey, ArtifactMeta, ArtifactStore } from './artifact-store.ts';
import { base64OfBytes, bytesOfBase64 } from './base64.ts';

/** What a `StoredArtifactService` may be told. */
export interface StoredArtifactServiceOptions {
  runtime?: Runtime | undefined;
  /** Most bytes of one version (32 MiB). */
  maxBytes?: number | undefined;
}

const USER = 'user:';

/** The semantics that every artifact backend shares: scopes, validation, parts to bytes and back. */
export class StoredArtifactService implements ArtifactService {
  readonly #store: ArtifactStore;
  readonly #runtime: Runtime;
  readonly #maxBytes: number;

  constructor(store: ArtifactStore, options: StoredArtifactServiceOptions = {}) {
    this.#store = store;
    this.#runtime = options.runtime ?? systemRuntime();
    this.#maxBytes = options.maxBytes ?? 32 * 1024 * 1024;
  }

  async saveArtifact(p: ArtifactRef & { artifact: Part; customMetadata?: JsonObject | undefined } & Call): Promise<number> {
    const key = keyOf(p);
    const { bytes, meta } = toStored(p.artifact);
    if (bytes.length > this.#maxBytes) {
      throw new TholeError('ARTIFACT_TOO_LARGE', `Artifact ${p.filename} has ${bytes.length} bytes; at most ${this.#maxBytes} are taken.`);
    }
    const customMetadata = p.customMetadata && (new JsonCopier(failInvalidJson).copy(p.customMetadata, 'customMetadata') as JsonObject);
    p.signal?.throwIfAborted();
    const putting = this.#store.put(key, bytes, {
      ...meta,
      ...(customMetadata && { customMetadata }),
      createTime: this.#runtime.now(),
    });
    return orAborted(putting, p.signal, unknownOutcome);
  }

  async loadArtifact(p: ArtifactRef & { version?: number | undefined } & Call): Promise<Part | undefined> {
    const found = await this.#get(p);
    return found && fromStored(found.bytes, found.meta);
  }

  async listArtifactKeys(p: SessionRef & Call): Promise<string[]> {
    checkSessionRef(p);
    p.signal?.throwIfAborted();
    const { appName, userId, sessionId } = p;
    const both = Promise.all([this.#store.names({ appName, userId, sessionId }), this.#store.names({ appName, userId })]);
    const [own, users] = await orAborted(both, p.signal);
    return [...own, ...users.map((name) => USER + name)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  async listVersions(p: ArtifactRef & Call): Promise<number[]> {
    const key = keyOf(p);
    p.signal?.throwIfAborted();
    return orAborted(this.#store.versions(key), p.signal);
  }

  async getArtifactVersion(p: ArtifactRef & { version?: number | undefined } & Call): Promise<ArtifactVersion | undefined> {
    const found = await this.#get(p);
    if (!found) return undefined;
    const { kind: _, ...known } = found.meta;
    return { version: found.version, ...known };
  }

  async deleteArtifact(p: ArtifactRef & Call): Promise<void> {
    const key = keyOf(p);
    p.signal?.throwIfAborted();
    await orAborted(this.#store.remove(key), p.signal, unknownOutcome);
  }

  async deleteSessionArtifacts(p: SessionRef & Call): Promise<void> {
    checkSessionRef(p);
    p.signal?.throwIfAborted();
    const scope = { appName: p.appName, userId: p.userId, sessionId: p.sessionId };
    await orAborted(this.#store.removeAll(scope), p.signal, unknownOutcome);
  }

  async deleteUserArtifacts(p: UserRef & Call): Promise<void> {
    checkUser(p);
    p.signal?.throwIfAborted();
    await orAborted(this.#store.removeAll({ appName: p.appName, userId: p.userId }), p.signal, unknownOutcome);
  }

  async #get(p: ArtifactRef & { version?: number | undefined } & Call): ReturnType<ArtifactStore['get']> {
    const key = keyOf(p);
    if (p.version !== undefined && (!Number.isSafeInteger(p.version) || p.version < 0)) {
      throw invalidInput('version', 'a whole number from 0 on', p.version);
    }
    p.signal?.throwIfAborted();
    return orAborted(this.#store.get(key, p.version), p.signal);
  }
}

function unknownOutcome(reason: unknown): TholeError {
  return new TholeError('STORE_OUTCOME_UNKNOWN', 'The wait ended before the store had answered; it may have happened.', { cause: reason });
}

function keyOf(p: ArtifactRef): ArtifactKey {
  checkSessionRef(p);
  checkName('filename', p.filename);
  const { appName, userId, sessionId, filename } = p;
  if (!filename.startsWith(USER)) return { appName, userId, sessionId, filename };
  const bare = filename.slice(USER.length);
  checkName('filename after user:', bare);
  return { appName, userId, filename: bare };
}

function toStored(artifact: Part): { bytes: Uint8Array; meta: Omit<ArtifactMeta, 'createTime'> } {
  checkContent({ parts: [artifact] }, 'artifact');
  const { inlineData } = artifact;
  if (inlineData) {
    const bytes = bytesOfBase64(inlineData.data);
    if (!bytes) throw new TholeError('INVALID_INPUT', 'artifact.inlineData.data must be base64.');
    const { mimeType, displayName } = inlineData;
    return { bytes, meta: { kind: 'inlineData', mimeType, ...(displayName !== undefined && { displayName }) } };
  }
  const part = new JsonCopier(failInvalidJson).copy(artifact, 'artifact');
  const mimeType = artifact.text === undefined ? artifact.fileData?.mimeType : 'text/plain';
  return { bytes: new TextEncoder().encode(JSON.stringify(part)), meta: { kind: 'part', ...(mimeType !== undefined && { mimeType }) } };
}

function fromStored(bytes: Uint8Array, meta: ArtifactMeta): Part {
  if (meta.kind === 'part') return JSON.parse(new TextDecoder().decode(bytes)) as Part;
  const { mimeType = 'application/octet-stream', displayName } = meta;
  return { inlineData: { mimeType, data: base64OfBytes(bytes), ...(displayName !== undefined && { displayName }) } };
}
