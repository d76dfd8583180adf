import type { JsonObject } from '../json/json.ts';

/** Where an artifact lives; without a session it is the user's. */
export interface ArtifactScope {
  appName: string;
  userId: string;
  sessionId?: string | undefined;
}

/** One artifact, of all its versions. */
export type ArtifactKey = ArtifactScope & { filename: string };

/** Stored beside the bytes as it is. */
export interface ArtifactMeta {
  /** `inlineData`: the bytes are the file. `part`: they are the part as JSON text. */
  kind: 'inlineData' | 'part';
  mimeType?: string | undefined;
  displayName?: string | undefined;
  /** Of `inlineData`: the part without its data, where it has members besides type and display name. */
  part?: JsonObject | undefined;
  customMetadata?: JsonObject | undefined;
  createTime: number;
}

/** What a database or file system implements. Strangers implement this; it is only ever extended. */
export interface ArtifactStore {
  readonly specVersion: 1;
  /** Stores a new version and answers it: 0, 1, 2 …; no two saves share one, and counting goes on after a removal. */
  put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number>;
  get(
    key: ArtifactKey,
    version?: number,
  ): Promise<{ version: number; bytes: Uint8Array; meta: ArtifactMeta } | undefined>;
  /** Ascending. */
  versions(key: ArtifactKey): Promise<number[]>;
  /** Of exactly this scope. */
  names(scope: ArtifactScope): Promise<string[]>;
  remove(key: ArtifactKey): Promise<void>;
  /** With a session: that session's. Without: everything of the user, in all sessions. */
  removeAll(scope: ArtifactScope): Promise<void>;
}
