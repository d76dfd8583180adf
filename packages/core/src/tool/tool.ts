import type { MaybePromise } from '../agent/agent.ts';
import type { ToolContext } from '../agent/contexts.ts';
import type { JsonObject } from '../json/json.ts';
import type { FunctionDeclaration, LlmRequest } from '../model/llm-request.ts';

/**
 * A tool that the model can call, or that changes model requests without being called. Others implement this
 * interface, so it only ever gains optional members.
 */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /**
   * True if the answer arrives later, in a separate message. The result of `runAsync` is then a first note for
   * the model. It may be undefined.
   */
  readonly isLongRunning?: boolean | undefined;
  /** True if the tool may run again with the same `idempotencyKey` when the outcome of the first run is unknown. */
  readonly idempotent?: boolean | undefined;
  /** Time limit of one call in milliseconds. Default: `toolTimeoutMs` of the run. */
  readonly timeoutMs?: number | undefined;
  /** True, or a function that returns true, if a person must confirm the call before the tool runs. Default: false. */
  readonly requireConfirmation?: RequireConfirmation | undefined;
  /** Time until a request for a confirmation expires, in milliseconds. Default: `interruptTtlMs` of the app. */
  readonly confirmationTtlMs?: number | undefined;
  /** True if a person may change the arguments when confirming a call. Default: false. */
  readonly allowEditedArguments?: boolean | undefined;
  /** True if a long-running call accepts answers with `willContinue`, which leave it open. Default: false. */
  readonly acceptsUpdates?: boolean | undefined;
  /** `ask-model` calls the model after each update. Default: `store`. */
  readonly onUpdate?: 'ask-model' | 'store' | undefined;
  /**
   * Called for a call whose run ended before its answer was stored. Returns the result if the call took effect, `not-done` to
   * run it again, or `unknown`.
   */
  readonly probe?: ToolProbe | undefined;
  /** Throws `INVALID_INPUT` for arguments with which the tool cannot run. Called before a confirmation is requested. */
  checkArguments?(args: JsonObject): Promise<void>;
  /** Returns the declaration for the model. Undefined if the model cannot see or call the tool. */
  declaration?(): FunctionDeclaration | undefined;
  /**
   * Runs one call. An object is the answer; any other value is returned to the model as `result`; undefined becomes
   * `{result: null}`. A thrown error is returned to the model as an error.
   */
  runAsync(p: { args: JsonObject; toolContext: ToolContext }): Promise<unknown>;
  /** Called before each model call. May change the request. */
  processLlmRequest?(p: { toolContext: ToolContext; llmRequest: LlmRequest }): Promise<void>;
}

/** Decides whether a call needs a confirmation. */
export type RequireConfirmation = boolean | ((args: JsonObject, toolContext: ToolContext) => MaybePromise<boolean>);

/** Returns whether an earlier attempt of a call took effect. */
export type ToolProbe = (
  args: JsonObject,
  p: { idempotencyKey: string; signal: AbortSignal },
) => MaybePromise<{ result: unknown } | 'not-done' | 'unknown'>;
