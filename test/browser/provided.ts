/** The Chromium that all files of the project `browser` share. */
export interface ProvidedBrowser {
  /** Where playwright-core connects to; absent where this machine lacks a Chromium. */
  readonly endpoint?: string;
  /** A file that takes a line for each suite that is skipped for want of it. */
  readonly skipped: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    browser: ProvidedBrowser;
  }
}
