import type { ToolContext } from '../agent/contexts.ts';
import type { JsonObject } from '../json/json.ts';
import type { FunctionDeclaration, LlmRequest } from '../model/llm-request.ts';

/** Something a model can call, or that works on the request unseen. Strangers implement this; it is only ever extended. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The answer comes later, in a message of its own; what `runAsync` gives is a first note to the model, if anything. */
  readonly isLongRunning?: boolean | undefined;
  /** May run again with the same `idempotencyKey` when nobody knows whether it has run. */
  readonly idempotent?: boolean | undefined;
  /** The call is answered as timed out after this. */
  readonly timeoutMs?: number | undefined;
  /** What the model is told; none: passive, never shown, not callable. */
  declaration?(): FunctionDeclaration | undefined;
  /**
   * Runs one call. An object is the answer as it is, anything else goes under `result`, undefined is `{result: null}`. What it
   * throws is answered to the model as an error.
   */
  runAsync(p: { args: JsonObject; toolContext: ToolContext }): Promise<unknown>;
  /** Before each model call: may change the request. */
  processLlmRequest?(p: { toolContext: ToolContext; llmRequest: LlmRequest }): Promise<void>;
}
