import { StoredArtifactService, TholeError } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { ArtifactStore, StoredArtifactServiceOptions } from '@thole/core';
import { FileArtifactStore } from './file-artifact-store.ts';

/** Options of `FileArtifactService`. */
export interface FileArtifactServiceOptions extends StoredArtifactServiceOptions {
  /** The folder for all files. The first save creates it. */
  rootDir: string;
}

/** Artifacts in a folder of this machine. Several processes may share the folder. */
export class FileArtifactService extends StoredArtifactService {
  constructor(options: FileArtifactServiceOptions) {
    if (!isPlainObject(options)) throw invalidInput('Options of FileArtifactService', 'an object', options);
    const { rootDir, ...limits } = options;
    if (typeof rootDir !== 'string' || rootDir === '') throw invalidInput('rootDir', 'the path of a folder', rootDir);
    super(withStoreErrors(new FileArtifactStore(rootDir), rootDir), limits);
  }
}

/** Returns a store whose errors of the file system, such as a full disk, are `STORE_UNAVAILABLE`. */
function withStoreErrors(store: FileArtifactStore, rootDir: string): ArtifactStore {
  const report = (error: unknown): never => {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const message = `The artifacts in the folder ${rootDir} cannot be read or written: ${error.message}.`;
    throw new TholeError('STORE_UNAVAILABLE', message, { cause: error });
  };
  return {
    specVersion: 1,
    put: (key, bytes, meta) => store.put(key, bytes, meta).catch(report),
    get: (key, version) => store.get(key, version).catch(report),
    versions: (key) => store.versions(key).catch(report),
    names: (scope) => store.names(scope).catch(report),
    remove: (key) => store.remove(key).catch(report),
    removeAll: (scope) => store.removeAll(scope).catch(report),
  };
}
