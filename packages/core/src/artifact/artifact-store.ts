import type { JsonObject } from '../json/json.ts';

/** The owner of an artifact. Without a session, the user owns it. */
export interface ArtifactScope {
  appName: string;
  userId: string;
  sessionId?: string | undefined;
}

/** One artifact with all its versions. */
export type ArtifactKey = ArtifactScope & { filename: string };

/** Metadata that is stored next to the bytes, unchanged. */
export interface ArtifactMeta {
  /** `inlineData`: the bytes are the file. `part`: the bytes are the part as JSON text. */
  kind: 'inlineData' | 'part';
  mimeType?: string | undefined;
  displayName?: string | undefined;
  /** For `inlineData`: the part without its data, if it has members other than type and display name. */
  part?: JsonObject | undefined;
  customMetadata?: JsonObject | undefined;
  createTime: number;
}

/**
 * The interface of a database or file system that stores artifacts. Others implement it, so it only ever gains
 * optional members.
 */
export interface ArtifactStore {
  readonly specVersion: 1;
  /**
   * Stores a new version and returns its number: 0, 1, 2 … Two saves never get the same number, and numbering
   * continues after a removal.
   */
  put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number>;
  get(
    key: ArtifactKey,
    version?: number,
  ): Promise<{ version: number; bytes: Uint8Array; meta: ArtifactMeta } | undefined>;
  /** Returns the version numbers in ascending order. */
  versions(key: ArtifactKey): Promise<number[]>;
  /** Returns the names in exactly this scope. */
  names(scope: ArtifactScope): Promise<string[]>;
  remove(key: ArtifactKey): Promise<void>;
  /** Removes the artifacts of the given session. Without a session, removes all artifacts of the user, in all sessions. */
  removeAll(scope: ArtifactScope): Promise<void>;
}
