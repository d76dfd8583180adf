import { decodeBase64, encodeBase64 } from '../content/base64.ts';
import { TholeError } from '../errors/thole-error.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ArtifactKey, ArtifactMeta, ArtifactScope, ArtifactStore } from './artifact-store.ts';
import { fromAdkObject } from './from-adk-object.ts';
import { decodeObjectName, encodeObjectName } from './object-names.ts';

/** An object as a bucket returns it. */
export interface StoredObject {
  readonly bytes: Uint8Array;
  readonly contentType?: string | undefined;
  /** Metadata with names in lower case. */
  readonly metadata: { readonly [name: string]: string | undefined };
  /** Seconds since the epoch. */
  readonly createTime: number;
}

/** A bucket of an object store, such as Cloud Storage or S3. */
export interface ObjectBucket {
  /**
   * Stores a new object and returns true. Returns false if the name is taken. Throws `STORE_OUTCOME_UNKNOWN` if the object
   * may have been stored. Metadata values are ASCII texts.
   */
  putIfAbsent(
    name: string,
    bytes: Uint8Array,
    p: { contentType: string; metadata: { [name: string]: string } },
  ): Promise<boolean>;
  get(name: string): Promise<StoredObject | undefined>;
  /** Returns all names with this prefix. */
  list(prefix: string): Promise<string[]>;
  /** Removes an object. Does nothing if it does not exist. */
  remove(name: string): Promise<void>;
}

/** Metadata names: `ArtifactMeta` as JSON, the name of an object with it, the id of the save, the file name. */
const META = 'thole-meta';
const META_OBJECT = 'thole-meta-object';
const SAVE = 'thole-save';
const FILENAME = 'thole-filename';
/** S3 accepts 2 KB of metadata. Longer metadata is stored in a separate object. */
const MAX_META = 1_000;
/** A name has at most 512 bytes, which are 684 characters of base64. */
const MAX_FILENAME = 800;
/** Objects next to the versions: `deleted-7` hides the versions 0 to 7, `meta-…` is long metadata. */
const DELETED = 'deleted-';
const META_PREFIX = 'meta-';

/** The objects of one artifact. */
interface Folder {
  /** Numbers of the versions that are not deleted, ascending. */
  versions: number[];
  /** The number for the next version. */
  next: number;
  /** Greatest deleted number, or -1. */
  deleted: number;
  /** Names of all objects below the folder's path. */
  names: string[];
}

/**
 * Stores artifacts in a bucket, one object per version, with ADK's layout: `<app>/<user>/<session>/<file>/<version>`, and
 * `user` instead of the session for files of the user. A version is created only if its name is free, so that two saves
 * never share a number.
 */
export class ObjectArtifactStore implements ArtifactStore {
  readonly specVersion = 1;
  readonly #bucket: ObjectBucket;
  readonly #runtime: Runtime;
  /** Prefix of all names, with a slash at its end, or empty. */
  readonly #root: string;

  constructor(bucket: ObjectBucket, p: { runtime: Runtime; prefix?: string | undefined }) {
    this.#bucket = bucket;
    this.#runtime = p.runtime;
    this.#root = p.prefix ? `${p.prefix.replace(/\/+$/, '')}/` : '';
  }

  async put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
    const path = await this.#pathOf(key);
    const contentType = meta.kind === 'part' ? 'application/json' : headerValue(meta.mimeType);
    let metadata = await this.#metadataOf(path, key, meta);
    for (let { next } = await this.#folder(path); ; next++) {
      const isStored = await this.#putOnce(`${path}${next}`, bytes, { contentType, metadata });
      if (!isStored) continue;
      // If a deletion has begun meanwhile, its marker hides this number.
      const { deleted } = await this.#folder(path);
      if (next > deleted) return next;
      await this.#removeVersion(path, next);
      next = deleted;
      // The deletion may still remove the object with the metadata, so the next number gets another one.
      metadata = await this.#metadataOf(path, key, meta);
    }
  }

  async get(
    key: ArtifactKey,
    version?: number,
  ): Promise<{ version: number; bytes: Uint8Array; meta: ArtifactMeta } | undefined> {
    const path = await this.#pathOf(key);
    const { versions } = await this.#folder(path);
    const wanted = version ?? versions.at(-1);
    if (wanted === undefined || !versions.includes(wanted)) return undefined;
    const found = await this.#bucket.get(`${path}${wanted}`);
    if (!found) return undefined;
    const meta = await this.#metaOf(path, found);
    return { version: wanted, ...(meta ? { bytes: found.bytes, meta } : fromAdkObject(found)) };
  }

  async versions(key: ArtifactKey): Promise<number[]> {
    return (await this.#folder(await this.#pathOf(key))).versions;
  }

  async names(scope: ArtifactScope): Promise<string[]> {
    const root = await this.#scopePath(scope);
    const byFile = new Map<string, string[]>();
    for (const name of await this.#bucket.list(root)) {
      const rest = name.slice(root.length);
      const end = rest.lastIndexOf('/');
      if (end < 0) continue;
      byFile.set(rest.slice(0, end), [...(byFile.get(rest.slice(0, end)) ?? []), rest.slice(end + 1)]);
    }
    const found: string[] = [];
    for (const [file, names] of byFile) {
      const newest = folderOf(names).versions.at(-1);
      if (newest === undefined) continue;
      const filename = decodeObjectName(file) ?? (await this.#filenameOf(`${root}${file}/${newest}`));
      if (filename !== undefined) found.push(filename);
    }
    return found;
  }

  async remove(key: ArtifactKey): Promise<void> {
    const path = await this.#pathOf(key);
    const { versions, deleted, names } = await this.#folder(path);
    const last = versions.at(-1) ?? deleted;
    if (last < 0) return;
    // The marker is stored first: it hides all versions while they are removed, and later saves continue the numbers.
    const marker = { contentType: 'text/plain', metadata: {} };
    if (last > deleted) await this.#putOnce(`${path}${DELETED}${last}`, new Uint8Array(), marker);
    // These are also versions that an earlier removal has hidden and not removed, because it failed.
    const hasLongMeta = names.some((name) => name.startsWith(META_PREFIX));
    for (const version of numbersIn(names)) {
      if (hasLongMeta) await this.#removeVersion(path, version);
      else await this.#bucket.remove(`${path}${version}`);
    }
    const older = names.filter((name) => name.startsWith(DELETED) && name !== `${DELETED}${last}`);
    for (const name of older) await this.#bucket.remove(`${path}${name}`);
  }

  /** Removes a version and the object with its metadata, if there is one. */
  async #removeVersion(path: string, version: number): Promise<void> {
    const object = await this.#bucket.get(`${path}${version}`);
    const metaObject = object?.metadata[META_OBJECT];
    if (metaObject !== undefined) await this.#bucket.remove(`${path}${metaObject}`);
    await this.#bucket.remove(`${path}${version}`);
  }

  async removeAll(scope: ArtifactScope): Promise<void> {
    const root = scope.sessionId === undefined ? await this.#userPath(scope) : await this.#scopePath(scope);
    for (const name of await this.#bucket.list(root)) await this.#bucket.remove(name);
  }

  /**
   * Stores an object and returns true. Returns false if the name is taken. After an unknown outcome, checks if it was
   * stored.
   */
  async #putOnce(...[name, bytes, p]: Parameters<ObjectBucket['putIfAbsent']>): Promise<boolean> {
    try {
      return await this.#bucket.putIfAbsent(name, bytes, p);
    } catch (error) {
      if (!TholeError.is(error, 'STORE_OUTCOME_UNKNOWN')) throw error;
      const found = await this.#bucket.get(name).catch(() => {
        throw error;
      });
      if (!found) throw error;
      return found.metadata[SAVE] !== undefined && found.metadata[SAVE] === p.metadata[SAVE];
    }
  }

  /** Returns the metadata of a new version. Stores long metadata as an object. */
  async #metadataOf(path: string, key: ArtifactKey, meta: ArtifactMeta): Promise<{ [name: string]: string }> {
    const save = this.#runtime.newId('save');
    const names = { [SAVE]: save, [FILENAME]: encodeFilename(key.filename) };
    const text = ascii(meta);
    if (text.length <= MAX_META) return { [META]: text, ...names };
    const name = `${META_PREFIX}${encodeURIComponent(save)}`;
    const p = { contentType: 'application/json', metadata: { [SAVE]: save } };
    await this.#putOnce(`${path}${name}`, new TextEncoder().encode(text), p);
    return { [META_OBJECT]: name, ...names };
  }

  /** Returns the metadata of a version. Undefined for a version that another program wrote. */
  async #metaOf(path: string, { metadata }: StoredObject): Promise<ArtifactMeta | undefined> {
    const name = metadata[META_OBJECT];
    const object = name === undefined ? undefined : await this.#bucket.get(`${path}${name}`);
    const text = object ? new TextDecoder().decode(object.bytes) : metadata[META];
    if (text === undefined) return undefined;
    const meta = parseJson(text);
    if (isPlainObject(meta)) return meta as unknown as ArtifactMeta;
    throw new TholeError(
      'STORE_VERSION',
      'The metadata of an artifact cannot be read: it is damaged, or a newer version of the package wrote it.',
    );
  }

  async #filenameOf(name: string): Promise<string | undefined> {
    const text = (await this.#bucket.get(name))?.metadata[FILENAME];
    return text === undefined ? undefined : decodeFilename(text);
  }

  async #folder(path: string): Promise<Folder> {
    return folderOf((await this.#bucket.list(path)).map((name) => name.slice(path.length)));
  }

  async #pathOf(key: ArtifactKey): Promise<string> {
    return `${await this.#scopePath(key)}${await encodeObjectName(key.filename)}/`;
  }

  async #scopePath(scope: ArtifactScope): Promise<string> {
    const { sessionId } = scope;
    // The folder of a session named `user` must differ from the folder of the user's files.
    const folder =
      sessionId === 'user' ? '%75ser' : sessionId === undefined ? 'user' : await encodeObjectName(sessionId);
    return `${await this.#userPath(scope)}${folder}/`;
  }

  async #userPath({ appName, userId }: ArtifactScope): Promise<string> {
    return `${this.#root}${await encodeObjectName(appName)}/${await encodeObjectName(userId)}/`;
  }
}

function folderOf(names: string[]): Folder {
  const markers = names.filter((name) => name.startsWith(DELETED)).map((name) => Number(name.slice(DELETED.length)));
  const deleted = Math.max(-1, ...markers);
  const versions = numbersIn(names).filter((version) => version > deleted);
  return { versions, next: (versions.at(-1) ?? deleted) + 1, deleted, names };
}

/** Returns the numbers of all versions in ascending order, also of hidden ones. */
function numbersIn(names: string[]): number[] {
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return numbers.sort((a, b) => a - b);
}

/** Returns a file name as JSON, or as base64 if the JSON is longer: S3 accepts 2 KB of metadata. */
function encodeFilename(filename: string): string {
  const text = ascii(filename);
  return text.length <= MAX_FILENAME ? text : encodeBase64(new TextEncoder().encode(filename));
}

function decodeFilename(text: string): string | undefined {
  if (text.startsWith('"')) return String(JSON.parse(text));
  const bytes = decodeBase64(text);
  return bytes && new TextDecoder().decode(bytes);
}

/** Returns a value as JSON that has only printable ASCII characters. */
function ascii(value: unknown): string {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[^ -~]/g, escape);
}

/**
 * Returns the MIME type if it is valid in a header and short, otherwise a general one. The metadata contains the exact
 * type.
 */
function headerValue(mimeType: string | undefined): string {
  return mimeType !== undefined && /^[!-~][ -~]{0,254}$/.test(mimeType) ? mimeType : 'application/octet-stream';
}
