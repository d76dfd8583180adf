import type { Json } from '../json/json.ts';

/** Controls partial events: `none`, or `sse` for every piece as it arrives. */
export const StreamingMode = { NONE: 'none', SSE: 'sse' } as const;
export type StreamingMode = (typeof StreamingMode)[keyof typeof StreamingMode];

/** Options of one run. Durations are milliseconds of any length; `Infinity` means no limit. */
export interface RunConfig {
  /** `none`: complete answers only. `sse`: partial events while the model writes, then the complete answer. */
  streamingMode?: StreamingMode | undefined;
  /** Maximum number of model calls in the invocation, including calls of sub-agents and agent tools. Default: 500. */
  maxLlmCalls?: number | undefined;
  /**
   * `attached`: the run continues when the reader requests the next event. `detached`: it continues at once, and
   * events are queued. Default: `attached`.
   */
  reader?: 'attached' | 'detached' | undefined;
  /** Maximum time in which the reader requests no event, in milliseconds. Then `RUN_ABANDONED`. Default: 300,000. */
  idleLimitMs?: number | undefined;
  /** Time that a stopped run has to store finished work, in milliseconds. Default: 5,000. */
  cleanupMs?: number | undefined;
  /** Time limit of the run from its first read, in milliseconds. Then `RUN_TIME_LIMIT`. Default: none. */
  timeLimitMs?: number | undefined;
  /** Time limit of each tool call whose tool has no `timeoutMs`, in milliseconds. Default: none. */
  toolTimeoutMs?: number | undefined;
  /**
   * Text that the model receives for an error thrown by a tool. `message`: the error's message. `redacted`: a text that only
   * says that the tool failed. Errors of this framework, such as invalid arguments, keep their message. Default: `message`.
   */
  toolErrors?: 'message' | 'redacted' | undefined;
  /** Maximum number of calls of one turn that run at the same time. Default: all. */
  maxParallelTools?: number | undefined;
  /**
   * True to store files of the message as artifacts and to leave them out of later prompts, as
   * `SaveFilesAsArtifactsPlugin` does.
   */
  saveInputBlobsAsArtifacts?: boolean | undefined;
  /** Limits of the invocation, including sub-agents and agent tools. Default: none. */
  limits?: RunLimits | undefined;
  /**
   * Added to every event of the run. Throws `INVALID_INPUT` for names that only the runtime sets, such as `step`. An object
   * `expiresAt` contains the expiry of long-running calls by call id, in seconds.
   */
  customMetadata?: { [key: string]: Json } | undefined;
}

/** Limits of an invocation. They are checked before each model call, so the last call may exceed them. */
export interface RunLimits {
  /** Maximum total tokens of all model calls. Then `TOKEN_LIMIT`. Default: none. */
  tokens?: number | undefined;
  /** Maximum total cost, computed by `App.costOf`. Then `COST_LIMIT`. Default: none. */
  cost?: number | undefined;
}
