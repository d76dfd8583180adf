import type {
  App,
  ArtifactService,
  Logger,
  MaybePromise,
  MemoryService,
  RunConfig,
  Runtime,
  SessionService,
} from '@thole/core';
import type { Runner } from '@thole/runner';
import type { LimitOptions } from './limits.ts';
import type { SpanMemory } from './traces/span-memory.ts';

/** For whom a request asks to act; empty where a route is about no app or no user. */
export interface Identity {
  readonly appName?: string | undefined;
  readonly userId?: string | undefined;
}

/** Answers the built files of a page; `path` is what comes after `/dev-ui/`, empty for the page itself. */
export type Ui = (path: string) => Promise<{ body: Uint8Array | string; type: string } | undefined>;

/** Scopes of state that a client may write: `session` keys have no prefix. */
export type ClientScope = 'session' | 'user' | 'app';

/** What a handler is made of. Options it does not know are `INVALID_INPUT`. */
export interface HandlerOptions {
  /** What is served, each under its name. A Runner brings its own services; Apps run over those given here. */
  apps: readonly (App | Runner)[];
  sessionService?: SessionService | undefined;
  memoryService?: MemoryService | undefined;
  artifactService?: ArtifactService | undefined;
  /** Clock, timers, ids and logs of the handler and of the Apps it runs. */
  runtime?: Runtime | undefined;
  /** Where the handler and its Apps log. Default: the runtime's logger; if that is silent, warnings and errors go to `console.error`. */
  logger?: Logger | undefined;
  /**
   * True to put message, causes and stack of an error into answers of status 500 and into the last frame of a failed run, as `debug`.
   * For a page on the developer's own machine. Default: false.
   */
  development?: boolean | undefined;
  /**
   * Decides who may act for whom, before anything is read or written: false is 403, a Response is the answer. Asked for every route
   * but `/health`, `/version` and the page's files. Without it everybody may do everything.
   */
  authorize?: ((request: Request, identity: Identity) => MaybePromise<boolean | Response>) | undefined;
  /** Asked after `authorize`: false is 429, with `retryAfterMs` where it is known; a Response is the answer. */
  rateLimit?:
    | ((request: Request, identity: Identity) => MaybePromise<boolean | Response | { retryAfterMs: number }>)
    | undefined;
  /** Host names, without port, that requests may name; others are 403. All, unless given; `serve` adds its own rule on loopback. */
  allowedHosts?: readonly string[] | undefined;
  /** Origins (`https://example.com`) whose pages may use the API; `*` lets every page read, with no credentials of the browser's. */
  cors?: { origins: readonly string[] } | undefined;
  limits?: LimitOptions | undefined;
  /** What becomes of a run whose client is gone: it is aborted, or goes on and can be read again. `abort` unless told otherwise. */
  onDisconnect?: 'abort' | 'continue' | undefined;
  ui?: Ui | undefined;
  /** What all paths begin with, such as `/api`. */
  basePath?: string | undefined;
  /** What tools and callbacks find as `deps`. */
  deps?: ((request: Request, identity: { appName: string; userId: string }) => unknown) | undefined;
  /** As `runConfig.toolErrors`: `redacted` keeps the text of errors that tools throw from models, sessions and clients. Default: `message`. */
  toolErrors?: RunConfig['toolErrors'] | undefined;
  /** Where spans of the Apps are kept for the trace routes; a Runner is given it in its own runtime. */
  traces?: SpanMemory | undefined;
  /** Scopes of state that clients may write; `session` and `user` unless told otherwise. */
  clientMayWrite?: readonly ClientScope[] | undefined;
}
