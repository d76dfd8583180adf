/** The text of a document and its version. */
export interface DocumentText {
  /** Undefined before the first write. */
  text: string | undefined;
  version: string;
}

/** Storage of a `StoredIdentityStore`: one JSON text. Implement it for your own storage. */
export interface IdentityDocument {
  /** Names the document in errors about its content, such as `users file "./users.json"`. */
  readonly name?: string | undefined;
  read(): Promise<DocumentText>;
  /** Replaces the text atomically. Returns false, and stores nothing, if `version` is not the current version. */
  replace(text: string, version: string): Promise<boolean>;
}
