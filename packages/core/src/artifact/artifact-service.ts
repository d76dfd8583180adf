import type { Part } from '../content/content.ts';
import type { JsonObject } from '../json/json.ts';
import type { SessionRef } from '../session/session.ts';
import type { CallOptions, UserRef } from '../session/session-service.ts';

/**
 * Names a file of a session. A `filename` that begins with `user:` belongs to the user and is visible in all of the
 * user's sessions.
 */
export type ArtifactRef = SessionRef & { filename: string };

/** Metadata of one version. */
export interface ArtifactVersion {
  version: number;
  mimeType?: string | undefined;
  displayName?: string | undefined;
  customMetadata?: JsonObject | undefined;
  /** Time of creation, in seconds since the epoch. */
  createTime: number;
}

/**
 * Stores files in numbered versions, starting with 0. Run `artifactServiceCases` of `@thole/testing` against an
 * implementation, or implement `ArtifactStore` and use `StoredArtifactService`.
 */
export interface ArtifactService {
  /**
   * Saves a new version and returns its number. Throws `ARTIFACT_TOO_LARGE` above the limit and `INVALID_INPUT` for
   * an invalid part or invalid base64.
   */
  saveArtifact(
    p: ArtifactRef & { artifact: Part; customMetadata?: JsonObject | undefined } & CallOptions,
  ): Promise<number>;
  /** Returns the given version, or the newest. Undefined if it does not exist. */
  loadArtifact(p: ArtifactRef & { version?: number | undefined } & CallOptions): Promise<Part | undefined>;
  /** Returns the sorted names of the session's files and of the user's files (with `user:`). */
  listArtifactKeys(p: SessionRef & CallOptions): Promise<string[]>;
  listVersions(p: ArtifactRef & CallOptions): Promise<number[]>;
  getArtifactVersion(
    p: ArtifactRef & { version?: number | undefined } & CallOptions,
  ): Promise<ArtifactVersion | undefined>;
  /** Deletes all versions. A later save continues the numbering. */
  deleteArtifact(p: ArtifactRef & CallOptions): Promise<void>;
  /** Deletes the files of the session. Files of the user stay. */
  deleteSessionArtifacts(p: SessionRef & CallOptions): Promise<void>;
  /** Deletes the user's files and the files of all the user's sessions. */
  deleteUserArtifacts(p: UserRef & CallOptions): Promise<void>;
}
