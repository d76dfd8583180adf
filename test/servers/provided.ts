import type { ServerKind } from './server-kind.ts';

/** URLs of the servers that all files of the project `servers` share. A missing server has no URL. */
export type ProvidedServers = { readonly [Kind in ServerKind]?: string } & {
  /** Path of a file with a line for each suite that is skipped because its server is missing. */
  readonly skipped: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    servers: ProvidedServers;
  }
}
