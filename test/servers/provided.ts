import type { ServerKind } from './server-kind.ts';

/** The servers that all files of the project `servers` share, by URL; a kind is absent where this machine lacks it. */
export type ProvidedServers = { readonly [Kind in ServerKind]?: string } & {
  /** A file that takes a line for each suite that is skipped because its server is missing. */
  readonly skipped: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    servers: ProvidedServers;
  }
}
