import { userKeyOf } from '@thole/core/kit';
import type { ArtifactKey, ArtifactMeta, ArtifactScope, ArtifactStore } from '@thole/core';

/** Stores files in the memory of this process. */
export class InMemoryArtifactStore implements ArtifactStore {
  readonly specVersion = 1;
  // By user, then by session id. The id undefined contains the files of the user.
  readonly #users = new Map<string, Map<string | undefined, Files>>();

  async put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
    const user = this.#users.get(userKeyOf(key)) ?? new Map<string | undefined, Files>();
    this.#users.set(userKeyOf(key), user);
    const files = user.get(key.sessionId) ?? new Map<string, File>();
    user.set(key.sessionId, files);
    const file = files.get(key.filename) ?? { next: 0, versions: new Map() };
    files.set(key.filename, file);
    const version = file.next++;
    file.versions.set(version, { bytes: bytes.slice(), meta });
    return version;
  }

  async get(
    key: ArtifactKey,
    version?: number,
  ): Promise<{ version: number; bytes: Uint8Array; meta: ArtifactMeta } | undefined> {
    const versions = this.#versions(key);
    const wantedVersion = version ?? [...(versions?.keys() ?? [])].at(-1);
    const found = wantedVersion === undefined ? undefined : versions?.get(wantedVersion);
    return found && { version: wantedVersion!, bytes: found.bytes.slice(), meta: { ...found.meta } };
  }

  async versions(key: ArtifactKey): Promise<number[]> {
    return [...(this.#versions(key)?.keys() ?? [])];
  }

  async names(scope: ArtifactScope): Promise<string[]> {
    const files = this.#users.get(userKeyOf(scope))?.get(scope.sessionId) ?? new Map<string, File>();
    return [...files].filter(([, file]) => file.versions.size > 0).map(([name]) => name);
  }

  async remove(key: ArtifactKey): Promise<void> {
    this.#versions(key)?.clear();
  }

  async removeAll(scope: ArtifactScope): Promise<void> {
    if (scope.sessionId === undefined) this.#users.delete(userKeyOf(scope));
    else this.#users.get(userKeyOf(scope))?.delete(scope.sessionId);
  }

  #versions(key: ArtifactKey): File['versions'] | undefined {
    return this.#users.get(userKeyOf(key))?.get(key.sessionId)?.get(key.filename)?.versions;
  }
}

type Files = Map<string, File>;

interface File {
  /** The next version number. Not reset when the versions are removed, so no number is used twice. */
  next: number;
  readonly versions: Map<number, { readonly bytes: Uint8Array; readonly meta: ArtifactMeta }>;
}
