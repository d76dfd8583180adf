import { assertContent } from '../content/assert-content.ts';
import type { Part } from '../content/content.ts';
import { assertBytes } from '../errors/assert-bytes.ts';
import { assertCount } from '../errors/assert-count.ts';
import { failInvalidJson } from '../errors/invalid-input.ts';
import { optionNames } from '../errors/option-names.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import { TholeError } from '../errors/thole-error.ts';
import { raceAbort, raceAbortWrite } from '../errors/race-abort.ts';
import { JsonCopier, jsonBytes, thawJson } from '../json/copy-json.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { JsonObject } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { systemRuntime } from '../runtime/system-runtime.ts';
import { assertName, assertSessionRef, assertUser } from '../session/assert-name.ts';
import type { SessionRef } from '../session/session.ts';
import type { CallOptions, UserRef } from '../session/session-service.ts';
import type { ArtifactRef, ArtifactService, ArtifactVersion } from './artifact-service.ts';
import type { ArtifactKey, ArtifactMeta, ArtifactStore } from './artifact-store.ts';
import { encodeBase64, decodeBase64 } from '../content/base64.ts';

/** Options of `StoredArtifactService`. */
export interface StoredArtifactServiceOptions {
  runtime?: Runtime | undefined;
  /** Maximum size of one version in bytes. Default: 32 MiB. */
  maxBytes?: number | undefined;
}

const USER = 'user:';

/**
 * Implements the rules that all artifact backends share: scopes, validation, and conversion between parts and bytes.
 */
export class StoredArtifactService implements ArtifactService {
  readonly #store: ArtifactStore;
  readonly #runtime: Runtime;
  readonly #maxBytes: number;

  constructor(store: ArtifactStore, options: StoredArtifactServiceOptions = {}) {
    const known = optionNames<StoredArtifactServiceOptions>({ runtime: true, maxBytes: true });
    rejectUnknownOptions(options, known, 'StoredArtifactService');
    const { runtime = systemRuntime(), maxBytes = 32 * 1024 * 1024 } = options;
    assertBytes('maxBytes', maxBytes);
    this.#store = store;
    this.#runtime = runtime;
    this.#maxBytes = maxBytes;
  }

  async saveArtifact(
    p: ArtifactRef & { artifact: Part; customMetadata?: JsonObject | undefined } & CallOptions,
  ): Promise<number> {
    const key = keyOf(p);
    const { bytes, meta } = toStored(p.artifact);
    const size = bytes.length + (meta.part ? jsonBytes(meta.part) : 0);
    if (size > this.#maxBytes) {
      throw new TholeError(
        'ARTIFACT_TOO_LARGE',
        `Artifact ${p.filename} has ${size} bytes. The maximum is ${this.#maxBytes}; maxBytes of the service changes it.`,
      );
    }
    const customMetadata =
      p.customMetadata && (new JsonCopier(failInvalidJson).copy(p.customMetadata, 'customMetadata') as JsonObject);
    p.signal?.throwIfAborted();
    const putting = this.#store.put(key, bytes, {
      ...meta,
      ...(customMetadata && { customMetadata }),
      createTime: this.#runtime.now(),
    });
    return raceAbortWrite(putting, p.signal);
  }

  async loadArtifact(p: ArtifactRef & { version?: number | undefined } & CallOptions): Promise<Part | undefined> {
    const found = await this.#get(p);
    return found && fromStored(found.bytes, found.meta);
  }

  async listArtifactKeys(p: SessionRef & CallOptions): Promise<string[]> {
    assertSessionRef(p);
    p.signal?.throwIfAborted();
    const { appName, userId, sessionId } = p;
    const names = Promise.all([
      this.#store.names({ appName, userId, sessionId }),
      this.#store.names({ appName, userId }),
    ]);
    const [ofSession, ofUser] = await raceAbort(names, p.signal);
    return [...ofSession, ...ofUser.map((name) => USER + name)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  async listVersions(p: ArtifactRef & CallOptions): Promise<number[]> {
    const key = keyOf(p);
    p.signal?.throwIfAborted();
    return raceAbort(this.#store.versions(key), p.signal);
  }

  async getArtifactVersion(
    p: ArtifactRef & { version?: number | undefined } & CallOptions,
  ): Promise<ArtifactVersion | undefined> {
    const found = await this.#get(p);
    if (!found) return undefined;
    const { kind: _, part: __, ...known } = found.meta;
    return { version: found.version, ...known };
  }

  async deleteArtifact(p: ArtifactRef & CallOptions): Promise<void> {
    const key = keyOf(p);
    p.signal?.throwIfAborted();
    await raceAbortWrite(this.#store.remove(key), p.signal);
  }

  async deleteSessionArtifacts(p: SessionRef & CallOptions): Promise<void> {
    assertSessionRef(p);
    p.signal?.throwIfAborted();
    const scope = { appName: p.appName, userId: p.userId, sessionId: p.sessionId };
    await raceAbortWrite(this.#store.removeAll(scope), p.signal);
  }

  async deleteUserArtifacts(p: UserRef & CallOptions): Promise<void> {
    assertUser(p);
    p.signal?.throwIfAborted();
    await raceAbortWrite(this.#store.removeAll({ appName: p.appName, userId: p.userId }), p.signal);
  }

  async #get(p: ArtifactRef & { version?: number | undefined } & CallOptions): ReturnType<ArtifactStore['get']> {
    const key = keyOf(p);
    if (p.version !== undefined) assertCount('version', p.version);
    p.signal?.throwIfAborted();
    return raceAbort(this.#store.get(key, p.version), p.signal);
  }
}

function keyOf(p: ArtifactRef): ArtifactKey {
  assertSessionRef(p);
  assertName('filename', p.filename);
  const { appName, userId, sessionId, filename } = p;
  if (!filename.startsWith(USER)) return { appName, userId, sessionId, filename };
  const bare = filename.slice(USER.length);
  assertName('filename after user:', bare);
  return { appName, userId, filename: bare };
}

function toStored(artifact: Part): { bytes: Uint8Array; meta: Omit<ArtifactMeta, 'createTime'> } {
  assertContent({ parts: [artifact] }, 'artifact');
  const { inlineData } = artifact;
  if (inlineData) {
    const bytes = decodeBase64(inlineData.data);
    if (!bytes) throw new TholeError('INVALID_INPUT', 'artifact.inlineData.data must be base64.');
    const { mimeType, displayName } = inlineData;
    const part = withoutData(artifact);
    return {
      bytes,
      meta: { kind: 'inlineData', mimeType, ...(displayName !== undefined && { displayName }), ...(part && { part }) },
    };
  }
  const part = new JsonCopier(failInvalidJson).copy(artifact, 'artifact');
  const mimeType = artifact.text === undefined ? artifact.fileData?.mimeType : 'text/plain';
  return {
    bytes: new TextEncoder().encode(JSON.stringify(part)),
    meta: { kind: 'part', ...(mimeType !== undefined && { mimeType }) },
  };
}

/**
 * Returns the part without its data. Undefined if its only members are the type and the display name, so that no
 * signatures or metadata would be lost.
 */
function withoutData(artifact: Part): JsonObject | undefined {
  const { data: _, ...inlineData } = artifact.inlineData!;
  const part = new JsonCopier(failInvalidJson).copy({ ...artifact, inlineData }, 'artifact') as JsonObject;
  const isKnown = (member: string): boolean => member === 'mimeType' || member === 'displayName';
  const hasOnlyKnown = Object.keys(part).length === 1 && Object.keys(part['inlineData']!).every(isKnown);
  return hasOnlyKnown ? undefined : part;
}

function fromStored(bytes: Uint8Array, meta: ArtifactMeta): Part {
  if (meta.kind === 'part') return readPart(bytes);
  const data = encodeBase64(bytes);
  if (meta.part) {
    const part = thawJson(meta.part) as Part;
    return { ...part, inlineData: { ...part.inlineData!, data } };
  }
  const { mimeType = 'application/octet-stream', displayName } = meta;
  return { inlineData: { mimeType, data, ...(displayName !== undefined && { displayName }) } };
}

function readPart(bytes: Uint8Array): Part {
  const part = parseJson(new TextDecoder().decode(bytes));
  if (isPlainObject(part)) return part as Part;
  throw new TholeError('STORE_VERSION', 'The stored content of an artifact is damaged. Save the artifact again.');
}
