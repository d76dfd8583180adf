/** Text of a document, and its version. */
export interface DocumentText {
  /** Undefined before the first write. */
  text: string | undefined;
  version: string;
}

/** Stores the document of a `StoredIdentityStore`: one JSON text. */
export interface IdentityDocument {
  read(): Promise<DocumentText>;
  /** Replaces the text in one atomic step. Returns false, and stores nothing, if the version is not the current one. */
  replace(text: string, version: string): Promise<boolean>;
}
