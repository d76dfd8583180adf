/** The first program of a package's README; undefined where it has none. */
export function firstProgramOf(folder: string): string | undefined;

/** Starts the server that a package's first program talks to: what to set in the environment, and how to end it. */
export function startExampleServer(folder: string): Promise<{ env: Record<string, string>; end(): void }>;
