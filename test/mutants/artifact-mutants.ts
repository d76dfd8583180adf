import { StoredArtifactService } from '@thole/core';
import type { ArtifactKey, ArtifactMeta, ArtifactScope, ArtifactService, ArtifactStore } from '@thole/core';
import { InMemoryArtifactStore } from '@thole/mem-services';
import type { Mutant } from './mutant.ts';

type Found = Awaited<ReturnType<ArtifactStore['get']>>;

export const artifactMutants: readonly Mutant<ArtifactService>[] = [
  mutant(
    'finds files of other users',
    30,
    class extends InMemoryArtifactStore {
      override get(key: ArtifactKey, version?: number): Promise<Found> {
        return super.get(key, version).then((found) => found ?? super.get({ ...key, userId: 'u' }, version));
      }
    },
  ),
  mutant(
    'also deletes files of the user with those of a session',
    30,
    class extends InMemoryArtifactStore {
      override removeAll({ appName, userId }: ArtifactScope): Promise<void> {
        return super.removeAll({ appName, userId });
      }
    },
  ),
  mutant(
    'ignores the case of names',
    1,
    class extends InMemoryArtifactStore {
      override put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
        return super.put({ ...key, filename: key.filename.toLowerCase() }, bytes, meta);
      }
      override get(key: ArtifactKey, version?: number): Promise<Found> {
        return super.get({ ...key, filename: key.filename.toLowerCase() }, version);
      }
    },
  ),
  mutant(
    'stores bytes as text',
    37,
    class extends InMemoryArtifactStore {
      override put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
        return super.put(key, new TextEncoder().encode(new TextDecoder().decode(bytes)), meta);
      }
    },
  ),
  mutant(
    'reuses version numbers after a deletion',
    37,
    class extends InMemoryArtifactStore {
      #shift = new Map<string, number>();
      override async put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
        return (await super.put(key, bytes, meta)) - (this.#shift.get(key.filename) ?? 0);
      }
      override async remove(key: ArtifactKey): Promise<void> {
        const last = (await this.versions(key)).at(-1);
        if (last !== undefined) this.#shift.set(key.filename, last + 1);
        return super.remove(key);
      }
    },
  ),
  mutant(
    'gives concurrent saves the same version',
    37,
    class extends InMemoryArtifactStore {
      override async put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
        const next = ((await this.versions(key)).at(-1) ?? -1) + 1;
        await super.put(key, bytes, meta);
        return next;
      }
    },
  ),
  mutant(
    'sorts versions as text',
    37,
    class extends InMemoryArtifactStore {
      override async versions(key: ArtifactKey): Promise<number[]> {
        return (await super.versions(key)).map(String).toSorted().map(Number);
      }
    },
  ),
  mutant(
    'stores user: files per session',
    37,
    class extends InMemoryArtifactStore {
      override put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
        return super.put(key.sessionId === undefined ? { ...key, sessionId: 's' } : key, bytes, meta);
      }
    },
  ),
  mutant(
    'loads the first version',
    37,
    class extends InMemoryArtifactStore {
      override async get(key: ArtifactKey, version?: number): Promise<Found> {
        return super.get(key, version ?? (await this.versions(key))[0]);
      }
    },
  ),
  mutant(
    'drops the metadata of a version',
    37,
    class extends InMemoryArtifactStore {
      override put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
        return super.put(key, bytes, { kind: meta.kind, mimeType: meta.mimeType, createTime: meta.createTime });
      }
    },
  ),
  mutant(
    'drops the other members of a part with bytes',
    37,
    class extends InMemoryArtifactStore {
      override put(key: ArtifactKey, bytes: Uint8Array, { part: _, ...meta }: ArtifactMeta): Promise<number> {
        return super.put(key, bytes, meta);
      }
    },
  ),
  {
    id: 'has no limit',
    contract: 37,
    create: (runtime) => new StoredArtifactService(new InMemoryArtifactStore(), { runtime }),
  },
];

function mutant(id: string, contract: number, broken: new () => ArtifactStore): Mutant<ArtifactService> {
  return {
    id,
    contract,
    create: (runtime) => new StoredArtifactService(new broken(), { runtime, maxBytes: 65_536 }),
  };
}
