import type { Json } from '../json/json.ts';

/** Controls partial events: `none`, or `sse` for every piece as it arrives. */
export const StreamingMode = { NONE: 'none', SSE: 'sse' } as const;
export type StreamingMode = (typeof StreamingMode)[keyof typeof StreamingMode];

/** Options of one run. Durations are milliseconds of any length; `Infinity` means no limit. */
export interface RunConfig {
  /** `none`: complete answers only. `sse`: partial events while the model writes, then the complete answer. */
  streamingMode?: StreamingMode | undefined;
  /** Maximum number of model calls in the invocation, including those of sub-agents and agent tools. Default: 500. */
  maxLlmCalls?: number | undefined;
  /**
   * `attached`: the run continues when the reader requests the next event. `detached`: it continues at once, and
   * events are queued. Default: `attached`.
   */
  reader?: 'attached' | 'detached' | undefined;
  /** Time after which a reader that takes no event ends the run, in milliseconds. Default: 300,000. */
  idleLimitMs?: number | undefined;
  /** Time that a stopped run has to store finished work, in milliseconds. Default: 5,000. */
  cleanupMs?: number | undefined;
  /** Time limit of the whole run in milliseconds. Default: none. */
  timeLimitMs?: number | undefined;
  /** Time limit of each tool call whose tool has no `timeoutMs`, in milliseconds. Default: none. */
  toolTimeoutMs?: number | undefined;
  /**
   * Text that the model gets for an error thrown by a tool. `message`: the error's text. `redacted`: only that the
   * tool failed. Errors of this framework, such as invalid arguments, keep their text. Default: `message`.
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
  /** Added to every event of the run. Names that only the runtime sets, such as `step`, are `INVALID_INPUT`. */
  customMetadata?: { [key: string]: Json } | undefined;
}

/** Limits of an invocation. They are checked before each model call, so the last call may exceed them. */
export interface RunLimits {
  /** Total tokens of all model calls, then `TOKEN_LIMIT`. */
  tokens?: number | undefined;
  /** Total cost by `App.costOf`, then `COST_LIMIT`. */
  cost?: number | undefined;
}
