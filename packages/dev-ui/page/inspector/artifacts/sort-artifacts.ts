/** A name of an artifact, and how many versions this session's events tell of. */
export interface ArtifactRow {
  filename: string;
  /** Kept for the user, in every session. */
  isUsers: boolean;
}

/** Artifacts by name, the session's own before the user's. */
export function sortArtifacts(names: readonly string[]): ArtifactRow[] {
  const rows = [...new Set(names)].map((filename) => ({ filename, isUsers: filename.startsWith('user:') }));
  return rows.sort((a, b) => Number(a.isUsers) - Number(b.isUsers) || (a.filename < b.filename ? -1 : 1));
}
