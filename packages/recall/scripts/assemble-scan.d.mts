/** What the text assembles to. */
export function assembleScan(): Promise<Uint8Array>;
