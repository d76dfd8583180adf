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

/** The app and user of a request, and its action. `appName` or `userId` is undefined if the route has no app or no user. */
export interface Identity {
  readonly appName?: string | undefined;
  readonly userId?: string | undefined;
  readonly action: Action;
  /** For `answer`: the open interrupts that the request answers. Undefined in the first of the two calls of `authorize`. */
  readonly interrupts?: readonly Interrupt[] | undefined;
}

/**
 * An accepted request: the only user that it may act for, the name of the person who sends it, or both.
 */
export type Authorized =
  | { readonly userId: string; readonly answeredBy?: string | undefined }
  | { readonly answeredBy: string };

/** The app, user and shared memory of a request. */
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
  /** The apps to serve, each under its name. Apps use the services of these options. Runners have their own services. */
  apps: readonly (App | Runner)[];
  /** Session service of the Apps. Required for Apps. */
  sessionService?: SessionService | undefined;
  /** Memory service of the Apps. Default: none. */
  memoryService?: MemoryService | undefined;
  /** Artifact service of the Apps. Default: none. */
  artifactService?: ArtifactService | undefined;
  /** Clock, timers, ids and logs of the handler and its Apps. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
  /**
   * Logger of the handler and its Apps. Default: the runtime's; if it is silent, warnings and errors go to
   * `console.error`.
   */
  logger?: Logger | undefined;
  /**
   * True to add message, causes and stack of an error to responses of status 500 and to the last frame of a failed run, as
   * `debug`. Use it only for a page on the developer's own machine. Default: false.
   */
  development?: boolean | undefined;
  /**
   * Decides whether a request may act for an app and a user. It is called before anything is read or written. `false` is answered
   * with 403; a `Response` is sent unchanged. `{ userId }` accepts the request for this user only: a request that names another
   * user is answered with 403. `{ answeredBy }` accepts the request and names the person who sends it: stored answers to
   * interrupts have this name in `customMetadata.answeredBy`, instead of the user of the session. It is called for all routes
   * except `/health`, `/version` and the files of the page. For answers to interrupts, it is called a second time with the
   * `interrupts`. Default: every client may act for every user.
   */
  authorize?: ((request: Request, identity: Identity) => MaybePromise<boolean | Response | Authorized>) | undefined;
  /**
   * Decides whether a request may use the memory of a team or an agent, which several users share. It is called after
   * `authorize`. `false` is answered with 403; a `Response` is sent unchanged. Default: with `authorize`, such requests are
   * rejected; without it, they are accepted.
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
   * Host names, without port, that the `Host` header may contain. Other requests are answered with 403. Default: all. If there is
   * no `authorize` either, clients on this machine must use `localhost`, `127.0.0.1` or `[::1]`.
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * Origins, such as `https://example.com`, whose pages may use the API. `*` allows every page, without the browser's
   * credentials. Default: none.
   */
  cors?: { origins: readonly string[] } | undefined;
  /** Limits of bodies, runs, streams and lists. Defaults: see `Limits`. */
  limits?: LimitOptions | undefined;
  /**
   * Effect of a client's disconnection on its run: `abort` ends the run. With `continue` the run finishes, and clients can read
   * it again. Default: `abort`.
   */
  onDisconnect?: 'abort' | 'continue' | undefined;
  /**
   * Calls `recover` of all runners at the start and then about every minute, until the handler is closed. `recover` resumes
   * invocations of dead processes, due timers and expired interrupts. Default: false.
   */
  recover?: boolean | RecoveryOptions | undefined;
  /** Returns the files of a page, which is served at `/dev-ui/`. Default: none. */
  ui?: Ui | undefined;
  /** Prefix of all paths, such as `/api`. Default: none. */
  basePath?: string | undefined;
  /**
   * Returns the `deps` of tools and callbacks for a request. If it throws, the request is refused before anything is stored.
   * Default: none.
   */
  deps?: ((request: Request, identity: { appName: string; userId: string }) => unknown) | undefined;
  /**
   * Same as `runConfig.toolErrors`. `redacted` hides the messages of errors that tools throw from models, sessions and
   * clients. Default: `message`.
   */
  toolErrors?: RunConfig['toolErrors'] | undefined;
  /**
   * Stores the spans of the Apps for the trace routes. To record a Runner, also pass it as the tracer of the Runner's runtime.
   * Default: none.
   */
  traces?: SpanMemory | undefined;
  /** Scopes of state that clients may write. Default: `session` and `user`. */
  clientMayWrite?: readonly ClientScope[] | undefined;
}
