/** The Chromium that all files of the project `browser` share. */
export interface ProvidedBrowser {
  /** Address for playwright-core. Undefined if Chromium is missing. */
  readonly endpoint?: string;
  /** Path of a file with a line for each suite that is skipped because Chromium is missing. */
  readonly skipped: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    browser: ProvidedBrowser;
  }
}
