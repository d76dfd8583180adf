import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:process';
import { TholeError } from '@thole/core';
import { isPlainObject, parseJson, renameWhenFree } from '@thole/core/kit';
import type { ArtifactKey, ArtifactMeta, ArtifactScope, ArtifactStore } from '@thole/core';
import { fromPathComponent, isPathComponent, toPathComponent } from './path-component.ts';

/**
 * Stores files in a folder. Each version is a folder with the files `bytes`, `meta.json` and `name`. A version becomes visible
 * completely or not at all. A writer claims a version number by creating a file: only one writer of all processes succeeds.
 */
export class FileArtifactStore implements ArtifactStore {
  readonly specVersion = 1;
  readonly #root: string;

  constructor(rootDir: string) {
    this.#root = rootDir;
  }

  async put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
    const temporaryFolder = await this.#createTemporary();
    try {
      await writeFile(join(temporaryFolder, 'bytes'), bytes, { flush: true });
      await writeFile(join(temporaryFolder, 'meta.json'), JSON.stringify(meta), { flush: true });
      await writeFile(join(temporaryFolder, 'name'), key.filename, { flush: true });
      // Another process may delete the folder of the file between two steps. Then the next attempt creates the folder again.
      for (let attempt = 0; attempt < 10; attempt++) {
        const version = await ignoreError('ENOENT', this.#publish(key, temporaryFolder));
        if (version !== undefined) return version;
      }
      throw new TholeError(
        'STORE_UNAVAILABLE',
        `Artifact "${key.filename}" could not be saved: another process deleted its folder during each of 10 attempts. Save it again.`,
      );
    } finally {
      await rm(temporaryFolder, { recursive: true, force: true });
    }
  }

  async get(
    key: ArtifactKey,
    version?: number,
  ): Promise<{ version: number; bytes: Uint8Array; meta: ArtifactMeta } | undefined> {
    const folder = this.#folderOf(key);
    const wantedVersion = version ?? (await versionsIn(folder)).at(-1);
    if (wantedVersion === undefined) return undefined;
    const read = (name: string): Promise<Uint8Array> => readFile(join(folder, String(wantedVersion), name));
    const found = await ignoreError('ENOENT', Promise.all([read('bytes'), read('meta.json')]));
    if (!found) return undefined;
    const [bytes, meta] = found;
    return {
      version: wantedVersion,
      bytes: new Uint8Array(bytes),
      meta: readMeta(meta, join(folder, String(wantedVersion))),
    };
  }

  async versions(key: ArtifactKey): Promise<number[]> {
    return versionsIn(this.#folderOf(key));
  }

  async names(scope: ArtifactScope): Promise<string[]> {
    const folder = this.#folderOfScope(scope);
    const names: string[] = [];
    for (const component of (await listFolder(folder)).filter(isPathComponent)) {
      const newest = (await versionsIn(join(folder, component))).at(-1);
      if (newest === undefined) continue;
      const name =
        fromPathComponent(component) ??
        (await ignoreError('ENOENT', readFile(join(folder, component, String(newest), 'name'), 'utf8')));
      if (name !== undefined) names.push(name);
    }
    return names;
  }

  async remove(key: ArtifactKey): Promise<void> {
    const folder = this.#folderOf(key);
    for (const version of await versionsIn(folder)) await this.#removeFolder(join(folder, String(version)));
  }

  async removeAll(scope: ArtifactScope): Promise<void> {
    await this.#removeFolder(scope.sessionId === undefined ? this.#folderOfUser(scope) : this.#folderOfScope(scope));
  }

  async #publish(key: ArtifactKey, temporaryFolder: string): Promise<number> {
    const folder = this.#folderOf(key);
    await mkdir(folder, { recursive: true });
    const version = await claim(folder);
    await renameWhenFree(rename, { from: temporaryFolder, to: join(folder, String(version)), platform });
    return version;
  }

  // Moves the folder before deleting it, so that no reader sees a part of its files.
  async #removeFolder(folder: string): Promise<void> {
    const bin = await this.#createTemporary();
    await ignoreError('ENOENT', renameWhenFree(rename, { from: folder, to: join(bin, 'removed'), platform }));
    await rm(bin, { recursive: true, force: true, maxRetries: 5 });
  }

  async #createTemporary(): Promise<string> {
    const temporary = join(this.#root, 'temporary');
    await mkdir(temporary, { recursive: true });
    return mkdtemp(join(temporary, 'write-'));
  }

  #folderOfUser(scope: ArtifactScope): string {
    return join(this.#root, 'artifacts', toPathComponent(scope.appName), toPathComponent(scope.userId));
  }

  #folderOfScope(scope: ArtifactScope): string {
    const user = this.#folderOfUser(scope);
    return scope.sessionId === undefined
      ? join(user, 'user')
      : join(user, 'sessions', toPathComponent(scope.sessionId));
  }

  #folderOf(key: ArtifactKey): string {
    return join(this.#folderOfScope(key), toPathComponent(key.filename));
  }
}

/** Returns the content of `meta.json`. Throws `STORE_VERSION` if the file is damaged. */
function readMeta(bytes: Uint8Array, folder: string): ArtifactMeta {
  const meta = parseJson(new TextDecoder().decode(bytes));
  if (isPlainObject(meta)) return meta as unknown as ArtifactMeta;
  throw new TholeError(
    'STORE_VERSION',
    `The file ${join(folder, 'meta.json')} is damaged. Restore it from a backup, or delete the folder ${folder}, which deletes this version.`,
  );
}

/** Claims the next version number. A claim remains when its version is removed, so that no number is used twice. */
async function claim(folder: string): Promise<number> {
  const claims = (await listFolder(folder))
    .map((name) => /^(\d+)\.claim$/.exec(name)?.[1])
    .filter((found) => found !== undefined);
  for (let version = Math.max(-1, ...claims.map(Number)) + 1; ; version++) {
    const file = await ignoreError('EEXIST', open(join(folder, `${version}.claim`), 'wx'));
    if (!file) continue;
    await file.close();
    return version;
  }
}

async function versionsIn(folder: string): Promise<number[]> {
  const versions = (await listFolder(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
  return versions.sort((a, b) => a - b);
}

async function listFolder(folder: string): Promise<string[]> {
  return (await ignoreError('ENOENT', readdir(folder))) ?? [];
}

async function ignoreError<T>(code: string, promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if ((error as { code?: unknown }).code === code) return undefined;
    throw error;
  }
}
