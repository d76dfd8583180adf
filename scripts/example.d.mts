/** Returns the first program of a package's README. Undefined if there is none. */
export function firstProgramOf(folder: string): string | undefined;

/** Starts the local server for a package's first program. Returns the variables to set, and a function that ends the server. */
export function startExampleServer(folder: string): Promise<{ env: Record<string, string>; end(): void }>;
