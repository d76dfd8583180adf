import { StoredArtifactService } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { StoredArtifactServiceOptions } from '@thole/core';
import { FileArtifactStore } from './file-artifact-store.ts';

/** Where files are kept, and the limits of every artifact service. */
export interface FileArtifactServiceOptions extends StoredArtifactServiceOptions {
  /** The folder to keep everything in; made at the first save. */
  rootDir: string;
}

/** Files in a folder of this machine; several processes may share it. */
export class FileArtifactService extends StoredArtifactService {
  constructor(options: FileArtifactServiceOptions) {
    if (!isPlainObject(options)) throw invalidInput('The options of FileArtifactService', 'an object', options);
    const { rootDir, ...limits } = options;
    if (typeof rootDir !== 'string' || rootDir === '') throw invalidInput('rootDir', 'the path of a folder', rootDir);
    super(new FileArtifactStore(rootDir), limits);
  }
}
