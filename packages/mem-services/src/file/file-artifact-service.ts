import { StoredArtifactService } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { StoredArtifactServiceOptions } from '@thole/core';
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
    super(new FileArtifactStore(rootDir), limits);
  }
}
