/** A file in the list of artifacts. */
export interface ArtifactRow {
  filename: string;
  /** True if the file belongs to the user and is available in every session. */
  isOfUser: boolean;
}

/** Returns each artifact once, sorted by name: files of the session, then files of the user. */
export function sortArtifacts(names: readonly string[]): ArtifactRow[] {
  const rows = [...new Set(names)].map((filename) => ({ filename, isOfUser: filename.startsWith('user:') }));
  return rows.sort((a, b) => Number(a.isOfUser) - Number(b.isOfUser) || (a.filename < b.filename ? -1 : 1));
}
