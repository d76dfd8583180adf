/** Gives the files of a page: `path` is what follows `/dev-ui/`, empty for the page itself; undefined for one that is not there. */
export type Ui = (path: string) => Promise<{ body: Uint8Array | string; type: string } | undefined>;
