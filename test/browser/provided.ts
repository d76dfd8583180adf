/** The Chromium that all files of the project `browser` share. */
export interface ProvidedBrowser {
  /** The address for playwright-core. Undefined without a Chromium on this machine. */
  readonly endpoint?: string;
  /** A file that takes a line for each suite that is skipped for want of it. */
  readonly skipped: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    browser: ProvidedBrowser;
  }
}
