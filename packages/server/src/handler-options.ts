import type {
  App,
  ArtifactService,
  Interrupt,
  Logger,
  MaybePromise,
  MemoryService,
  RunConfig,
  Runtime,
  SessionService,
  SharedMemoryScope,
} from '@thole/core';
import type { Runner } from '@thole/runner';
import type { LimitOptions } from './limits.ts';
import type { RecoveryOptions } from './recovery.ts';
import type { SpanMemory } from './traces/span-memory.ts';

/**
 * The kind of a request. `run` starts or continues a run, `answer` answers interrupts, `cancel` stops a run. `rewind` removes
 * events, also to regenerate an answer, and `fork` copies a session.
 */
export type Action = 'read' | 'write' | 'delete' | 'run' | 'answer' | 'cancel' | 'rewind' | 'fork';

/** The app and user that a request names, and what it does. A name is undefined if the route concerns no app or no user. */
export interface Identity {
  readonly appName?: string | undefined;
  readonly userId?: string | undefined;
  readonly action: Action;
  /** For `answer`: the open interrupts that the request answers. Undefined in the first of the two calls. */
  readonly interrupts?: readonly Interrupt[] | undefined;
}

/** The app, user and shared memory that a request names. */
export interface ScopeIdentity extends Omit<Identity, 'action' | 'interrupts'> {
  readonly scope: SharedMemoryScope;
}

/**
 * Returns a built file of a page. `path` is the part of the address after `/dev-ui/`; it is empty for the page itself.
 * Undefined for an unknown file.
 */
export type Ui = (path: string) => Promise<{ body: Uint8Array | string; type: string } | undefined>;

/** A scope of state that a client may write. Keys of the scope `session` have no prefix. */
export type ClientScope = 'session' | 'user' | 'app';

/** Options of `createHandler`. Unknown options throw `INVALID_INPUT`. */
export interface HandlerOptions {
  /** The apps to serve, each under its name. A Runner has its own services. Apps use the services of these options. */
  apps: readonly (App | Runner)[];
  /** Required for Apps. */
  sessionService?: SessionService | undefined;
  memoryService?: MemoryService | undefined;
  artifactService?: ArtifactService | undefined;
  /** Clock, timers, ids and logs of the handler and its Apps. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
  /**
   * Logger of the handler and its Apps. Default: the runtime's; if it is silent, warnings and errors go to
   * `console.error`.
   */
  logger?: Logger | undefined;
  /**
   * True to add message, causes and stack of an error to responses of status 500 and to the last frame of a failed
   * run, as `debug`. For a page on the developer's own machine. Default: false.
   */
  development?: boolean | undefined;
  /**
   * Decides whether a request may act for an app and a user. It is called before anything is read or written. `false`
   * is answered with 403; a `Response` is sent unchanged. `{ userId }` accepts the request for this user only: a request
   * that names another user is answered with 403. It is called for all routes except `/health`, `/version` and
   * the files of the page. For answers to interrupts, it is called again with the `interrupts`. Default: every client may act
   * for every user.
   */
  authorize?:
    | ((request: Request, identity: Identity) => MaybePromise<boolean | Response | { userId: string }>)
    | undefined;
  /**
   * Decides whether a request may use the memory of a team or an agent, which several users share. It is called after
   * `authorize`, with the same results. Default: with `authorize`, no client may; without it, every client may.
   */
  authorizeScope?: ((request: Request, identity: ScopeIdentity) => MaybePromise<boolean | Response>) | undefined;
  /**
   * Called after `authorize`. `false` and `{ retryAfterMs }` are answered with 429; a `Response` is sent unchanged.
   * Default: no limit.
   */
  rateLimit?:
    | ((request: Request, identity: Identity) => MaybePromise<boolean | Response | { retryAfterMs: number }>)
    | undefined;
  /**
   * Host names without port that requests may name; others are answered with 403. Default: all. Clients on this
   * machine may only name this machine, unless there is an `authorize`.
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * Origins, such as `https://example.com`, whose pages may use the API. `*` allows every page, without the browser's
   * credentials. Default: none.
   */
  cors?: { origins: readonly string[] } | undefined;
  limits?: LimitOptions | undefined;
  /**
   * Effect on a run when its client disconnects: `abort` ends it, `continue` lets it finish, and clients can read
   * it again. Default: `abort`.
   */
  onDisconnect?: 'abort' | 'continue' | undefined;
  /**
   * Calls `recover` of all runners at the start and then about every minute, until the handler is closed: it resumes what dead
   * processes have left, due timers and expired interrupts. Default: false.
   */
  recover?: boolean | RecoveryOptions | undefined;
  /** Serves a page at `/dev-ui/`. Default: none. */
  ui?: Ui | undefined;
  /** Prefix of all paths, such as `/api`. Default: none. */
  basePath?: string | undefined;
  /** Returns the `deps` of tools and callbacks for a request. Default: none. */
  deps?: ((request: Request, identity: { appName: string; userId: string }) => unknown) | undefined;
  /**
   * Same as `runConfig.toolErrors`. `redacted` hides the messages of errors that tools throw from models, sessions and
   * clients. Default: `message`.
   */
  toolErrors?: RunConfig['toolErrors'] | undefined;
  /**
   * Stores the spans of the Apps for the trace routes. A Runner needs it as the tracer in its runtime. Default: none.
   */
  traces?: SpanMemory | undefined;
  /** Scopes of state that clients may write. Default: `session` and `user`. */
  clientMayWrite?: readonly ClientScope[] | undefined;
}
