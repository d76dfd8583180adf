import type { Part } from '../content/content.ts';
import type { JsonObject } from '../json/json.ts';
import type { SessionRef } from '../session/session.ts';
import type { CallOptions, UserRef } from '../session/session-service.ts';

/** Names a file of a session; a `filename` that begins with `user:` is the user's, in every session. */
export type ArtifactRef = SessionRef & { filename: string };

/** What is known of one version besides its bytes. */
export interface ArtifactVersion {
  version: number;
  mimeType?: string | undefined;
  displayName?: string | undefined;
  customMetadata?: JsonObject | undefined;
  /** Seconds since the epoch. */
  createTime: number;
}

/**
 * Keeps files, each in versions from 0 on. Run the `artifact` suite of `@thole/testing` over an implementation, or write an
 * `ArtifactStore` and put `StoredArtifactService` over it.
 */
export interface ArtifactService {
  /** The new version. `ARTIFACT_TOO_LARGE` over the limit, `INVALID_INPUT` for what is no part or not base64. */
  saveArtifact(
    p: ArtifactRef & { artifact: Part; customMetadata?: JsonObject | undefined } & CallOptions,
  ): Promise<number>;
  /** The newest version unless one is named; undefined where there is none. */
  loadArtifact(p: ArtifactRef & { version?: number | undefined } & CallOptions): Promise<Part | undefined>;
  /** Names, sorted: the session's and the user's (with `user:`). */
  listArtifactKeys(p: SessionRef & CallOptions): Promise<string[]>;
  listVersions(p: ArtifactRef & CallOptions): Promise<number[]>;
  getArtifactVersion(
    p: ArtifactRef & { version?: number | undefined } & CallOptions,
  ): Promise<ArtifactVersion | undefined>;
  /** All versions; versions go on counting afterwards. */
  deleteArtifact(p: ArtifactRef & CallOptions): Promise<void>;
  /** The session's own, not the user's. */
  deleteSessionArtifacts(p: SessionRef & CallOptions): Promise<void>;
  /** The user's own and those of all the user's sessions. */
  deleteUserArtifacts(p: UserRef & CallOptions): Promise<void>;
}
