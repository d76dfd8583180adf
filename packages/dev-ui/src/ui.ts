/**
 * Returns a file of a page. `path` is the part after `/dev-ui/`, empty for the page itself. Undefined if the file
 * does not exist.
 */
export type Ui = (path: string) => Promise<{ body: Uint8Array | string; type: string } | undefined>;
