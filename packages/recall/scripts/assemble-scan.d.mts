/** Returns scan.wat as bytes of a WebAssembly module. */
export function assembleScan(): Promise<Uint8Array>;
