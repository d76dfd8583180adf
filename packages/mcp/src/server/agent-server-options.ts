import { TholeError } from '@thole/core';
import { assertCount, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type {
  ArtifactService,
  Authenticator,
  Interrupt,
  MaybePromise,
  MemoryService,
  RunConfig,
  Runtime,
  SessionService,
} from '@thole/core';
import type { AuthInfo } from '@modelcontextprotocol/server';

/** The user and the action of a request. `run` starts a call; `answer` answers the open `interrupts` of a call. */
export interface CallIdentity {
  readonly appName: string;
  /** The user that the request names: `?userId=`, the header `x-user-id`, else `user`. */
  readonly userId: string;
  readonly action: 'run' | 'answer';
  readonly interrupts?: readonly Interrupt[] | undefined;
}

/** The caller of an agent. */
export interface Caller {
  readonly userId: string;
  /** The token that `fetch` or `authorize` passed. Undefined over stdio. */
  readonly authInfo?: AuthInfo | undefined;
  /** The HTTP request. Undefined over stdio. */
  readonly request?: Request | undefined;
}

/** Limits of the requests of clients. */
export interface CallLimits {
  /** Maximum bytes of a message; larger HTTP bodies are answered with 413, and stdio is closed. Default: 4 MiB. */
  readonly bodyBytes: number;
  /** Maximum number of active calls; further calls are tool errors. Default: 100. */
  readonly concurrentCalls: number;
}

/** Options of `mcpServer`. Unknown options throw `INVALID_INPUT`. */
export interface AgentServerOptions {
  /** Names of the agents to serve, each as one tool. Agents that are not listed cannot be called. */
  agents: readonly string[];
  /** Required for an App. A Runner has its own services. */
  sessionService?: SessionService | undefined;
  memoryService?: MemoryService | undefined;
  artifactService?: ArtifactService | undefined;
  authenticator?: Authenticator | undefined;
  /**
   * Clock, ids, logs and tracer of the server and its App. Default: `systemRuntime()`. Without a logger, warnings and errors
   * go to `console.error`. A Runner uses its own runtime for runs. Pass the same runtime here so that the spans of its runs
   * are children of the requests' spans.
   */
  runtime?: Runtime | undefined;
  /** Version of the server that clients see. Default: `1.0.0`. */
  version?: string | undefined;
  /**
   * Accepts or rejects an HTTP request and names its user. `{ userId }` names the user. A token (`AuthInfo`) names the user by
   * `extra.userId`, else `extra.sub`. `true` accepts the user that the request names, `false` is answered with 403, and a
   * `Response` is sent unchanged. It is called again with `interrupts` before answers are stored. Default: only clients on this
   * machine are served, and the request names the user.
   */
  authorize?:
    | ((request: Request, identity: CallIdentity) => MaybePromise<boolean | Response | AuthInfo | { userId: string }>)
    | undefined;
  /**
   * Host names without port that requests may name; requests with other names are answered with 403. Default: all names
   * with `authorize` or `authInfo`, otherwise the names of this machine.
   */
  allowedHosts?: readonly string[] | undefined;
  /** Origins, such as `https://example.com`, whose pages may send requests. Default: only the server's own origin. */
  allowedOrigins?: readonly string[] | undefined;
  limits?: { readonly [name in keyof CallLimits]?: number | undefined } | undefined;
  /** Settings of every run. `timeLimitMs` is 600,000 by default, and clients that request progress receive partial texts. */
  runConfig?: RunConfig | undefined;
  /** Returns the `deps` of tools and callbacks for a caller, or a promise of them. Default: none. */
  deps?: ((caller: Caller) => unknown) | undefined;
}

const knownOptions = optionNames<AgentServerOptions>({
  agents: true,
  sessionService: true,
  memoryService: true,
  artifactService: true,
  authenticator: true,
  runtime: true,
  version: true,
  authorize: true,
  allowedHosts: true,
  allowedOrigins: true,
  limits: true,
  runConfig: true,
  deps: true,
});
const knownLimits = optionNames<CallLimits>({ bodyBytes: true, concurrentCalls: true });

/** Returns all limits. Throws `INVALID_INPUT` for options that are not valid, and `DUPLICATE_NAME` for two equal agents. */
export function checkAgentServerOptions(options: AgentServerOptions): CallLimits {
  rejectUnknownOptions(options, knownOptions, 'mcpServer');
  const { agents, version, limits = {} } = options;
  if (!isListOfStrings(agents) || agents.length === 0)
    throw invalidInput('agents', 'a list of names of agents', agents);
  const duplicate = agents.find((name, i) => agents.indexOf(name) !== i);
  if (duplicate !== undefined)
    throw new TholeError('DUPLICATE_NAME', `agents must name each agent once. Remove the second ${duplicate}.`);
  if (version !== undefined && typeof version !== 'string') throw invalidInput('version', 'a string', version);
  for (const name of ['authorize', 'deps'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw invalidInput(name, 'a function', options[name]);
  }
  for (const name of ['allowedHosts', 'allowedOrigins'] as const) {
    if (options[name] !== undefined && !isListOfStrings(options[name]))
      throw invalidInput(name, 'a list of strings', options[name]);
  }
  rejectUnknownOptions(limits, knownLimits, 'limits');
  const { bodyBytes = 4 * 1024 * 1024, concurrentCalls = 100 } = limits;
  assertCount('limits.bodyBytes', bodyBytes, 1);
  assertCount('limits.concurrentCalls', concurrentCalls, 1);
  return { bodyBytes, concurrentCalls };
}

function isListOfStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
