declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which `install-app.ts` installs, for all files of the project `packed`. */
    packed: string;
  }
}

export {};
