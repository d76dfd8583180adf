/** Name of an artifact and the number of versions that this session's events name. */
export interface ArtifactRow {
  filename: string;
  /** True if it belongs to the user, in every session. */
  isUsers: boolean;
}

/** Returns artifacts by name, the session's before the user's. */
export function sortArtifacts(names: readonly string[]): ArtifactRow[] {
  const rows = [...new Set(names)].map((filename) => ({ filename, isUsers: filename.startsWith('user:') }));
  return rows.sort((a, b) => Number(a.isUsers) - Number(b.isUsers) || (a.filename < b.filename ? -1 : 1));
}
