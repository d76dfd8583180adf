import type {
  CallbackContext,
  GenerateContentConfig,
  JsonObject,
  Llm,
  LlmRequest,
  LlmResponse,
  MaybePromise,
  ReadonlyContext,
  SchemaInput,
  Tool,
  ToolContext,
  Toolset,
} from '@thole/core';
import type { OneOrMany } from '@thole/core/kit';
import type { BaseAgentOptions } from './base-agent.ts';

/** Text with `{key}`, `{key?}` and `{artifact.name}`, or a function whose text is used unchanged. */
export type Instruction<T = unknown> = string | { call(context: ReadonlyContext<T>): MaybePromise<string> }['call'];

/** A JSON Schema object. Default of `$schema`: draft 2020-12. */
type JsonSchemaInput = { readonly [keyword: string]: unknown };

/** A method, so that an agent accepts a callback with the type of its `deps`, as in `AgentCallback`. */
type Callback<P, R> = { call(p: P): MaybePromise<R | undefined | void> }['call'];

/** May change the request. A returned response replaces the model call. */
export type BeforeModelCallback<T = unknown> = Callback<
  { context: CallbackContext<T>; request: LlmRequest },
  LlmResponse
>;
/** Also called for partial responses. A returned response replaces the response of the model. */
export type AfterModelCallback<T = unknown> = Callback<
  { context: CallbackContext<T>; response: LlmResponse },
  LlmResponse
>;
/** A returned response replaces the error. */
export type OnModelErrorCallback<T = unknown> = Callback<
  { context: CallbackContext<T>; request: LlmRequest; error: Error },
  LlmResponse
>;
/** May change the arguments. A returned object replaces the tool call. */
export type BeforeToolCallback<T = unknown> = Callback<
  { tool: Tool; args: JsonObject; context: ToolContext<T> },
  JsonObject
>;
/** A returned object replaces the tool's answer. */
export type AfterToolCallback<T = unknown> = Callback<
  { tool: Tool; args: JsonObject; context: ToolContext<T>; response: JsonObject },
  JsonObject
>;
/** A returned object replaces the error. */
export type OnToolErrorCallback<T = unknown> = Callback<
  { tool: Tool; args: JsonObject; context: ToolContext<T>; error: Error },
  JsonObject
>;

/** Options of `LlmAgent`. Required: `name`, and a model here or in an agent above. */
export interface LlmAgentOptions<Output = unknown> extends BaseAgentOptions {
  /**
   * A model, or a name that one of the runner's `models` supports. Default: the model of the nearest agent above that
   * has a model.
   */
  model?: Llm | string | undefined;
  instruction?: Instruction | undefined;
  /** Instruction for all agents of the tree. Only the option of the root agent is used. */
  globalInstruction?: Instruction | undefined;
  /**
   * Instruction that comes first and never changes. The other instructions then come directly before the last user
   * message, so that prompt caches stay valid.
   */
  staticInstruction?: string | undefined;
  tools?: readonly (Tool | Toolset)[] | undefined;
  /** State key under which the agent's answer is stored. */
  outputKey?: string | undefined;
  /**
   * Schema of the agent's answer, which must be JSON: a Standard Schema, `{schema, jsonSchema}`, or a JSON Schema
   * object.
   */
  outputSchema?: SchemaInput<Output> | JsonSchemaInput | undefined;
  /** Schema of the agent's input when it runs as a tool. */
  inputSchema?: SchemaInput | JsonSchemaInput | undefined;
  /** `none`: the agent sees only the current turn. */
  includeContents?: 'default' | 'none' | undefined;
  disallowTransferToParent?: boolean | undefined;
  disallowTransferToPeers?: boolean | undefined;
  generateContentConfig?: GenerateContentConfig | undefined;
  /** Options of one provider, under its name. */
  providerOptions?: { [provider: string]: JsonObject } | undefined;
  beforeModelCallback?: OneOrMany<BeforeModelCallback> | undefined;
  afterModelCallback?: OneOrMany<AfterModelCallback> | undefined;
  onModelErrorCallback?: OneOrMany<OnModelErrorCallback> | undefined;
  beforeToolCallback?: OneOrMany<BeforeToolCallback> | undefined;
  afterToolCallback?: OneOrMany<AfterToolCallback> | undefined;
  onToolErrorCallback?: OneOrMany<OnToolErrorCallback> | undefined;
}
