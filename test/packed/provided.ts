declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the app that `install-app.ts` installs once for all test files of the project `packed`. */
    packed: string;
  }
}

export {};
