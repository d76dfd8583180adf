import type { Json } from '../json/json.ts';

/** Whether a run hands over partial events: `none`, or `sse` for every piece as it comes. */
export const StreamingMode = { NONE: 'none', SSE: 'sse' } as const;
export type StreamingMode = (typeof StreamingMode)[keyof typeof StreamingMode];

/** What one run may be told, beside its message. Durations are milliseconds of any length; `Infinity` means no limit. */
export interface RunConfig {
  /** `none`: whole answers only. `sse`: partial events while the model speaks, then the whole. */
  streamingMode?: StreamingMode | undefined;
  /** Model calls of the invocation, sub-agents' and agent tools' included (500). */
  maxLlmCalls?: number | undefined;
  /** `attached` (default): goes on when the next event is asked for. `detached`: at once, and events queue up. */
  reader?: 'attached' | 'detached' | undefined;
  /** A reader that takes nothing for so long ends the run (300,000). */
  idleLimitMs?: number | undefined;
  /** What a run that is asked to stop has for storing what finished (5,000). */
  cleanupMs?: number | undefined;
  /** Of the whole run; none by default. */
  timeLimitMs?: number | undefined;
  /** Of each tool call that sets none itself; none by default. */
  toolTimeoutMs?: number | undefined;
  /**
   * What the model learns of an error that a tool threw: `message` (default) its text, `redacted` only that the tool failed. Errors of
   * ours, such as arguments that do not fit, keep their text.
   */
  toolErrors?: 'message' | 'redacted' | undefined;
  /** Calls of one turn that run at once; all by default. */
  maxParallelTools?: number | undefined;
  /** Kept as artifacts, and out of the prompt's history, by `SaveFilesAsArtifactsPlugin`'s rule. */
  saveInputBlobsAsArtifacts?: boolean | undefined;
  /** Put on every event of the run. */
  customMetadata?: { [key: string]: Json } | undefined;
}
