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

/** Text with `{key}`, `{key?}` and `{artifact.name}`, or a function whose text is taken as it is. */
export type Instruction = string | ((context: ReadonlyContext) => MaybePromise<string>);

/** A plain JSON Schema, draft 2020-12 unless `$schema` names another. */
type JsonSchemaInput = { readonly [keyword: string]: unknown };

type Answer<T> = MaybePromise<T | undefined | void>;

/** May change the request; a response answers instead of the model. */
export type BeforeModelCallback = (p: { context: CallbackContext; request: LlmRequest }) => Answer<LlmResponse>;
/** Sees partials too; a response replaces the model's. */
export type AfterModelCallback = (p: { context: CallbackContext; response: LlmResponse }) => Answer<LlmResponse>;
/** A response answers instead of the error. */
export type OnModelErrorCallback = (p: {
  context: CallbackContext;
  request: LlmRequest;
  error: Error;
}) => Answer<LlmResponse>;
/** May change the arguments; an object answers instead of the tool. */
export type BeforeToolCallback = (p: { tool: Tool; args: JsonObject; context: ToolContext }) => Answer<JsonObject>;
/** An object replaces the tool's answer. */
export type AfterToolCallback = (p: {
  tool: Tool;
  args: JsonObject;
  context: ToolContext;
  response: JsonObject;
}) => Answer<JsonObject>;
/** An object answers instead of the error. */
export type OnToolErrorCallback = (p: {
  tool: Tool;
  args: JsonObject;
  context: ToolContext;
  error: Error;
}) => Answer<JsonObject>;

/** What an `LlmAgent` is made of. Only `name` is required, and a model here or in an agent above. */
export interface LlmAgentOptions<Output = unknown> extends BaseAgentOptions {
  /** A model, or a name that one of the runner's `models` knows. Without one: the nearest agent's above that has one. */
  model?: Llm | string | undefined;
  instruction?: Instruction | undefined;
  /** For all agents of the tree; only the root's counts. */
  globalInstruction?: Instruction | undefined;
  /** Comes first and word for word; then the other instructions move behind the history, so that prompt caches survive. */
  staticInstruction?: string | undefined;
  tools?: readonly (Tool | Toolset)[] | undefined;
  /** The state key under which the agent's answer is kept. */
  outputKey?: string | undefined;
  /** What the agent's answer must be: JSON that fits. A Standard Schema, `{schema, jsonSchema}`, or a JSON Schema object. */
  outputSchema?: SchemaInput<Output> | JsonSchemaInput | undefined;
  /** What the agent takes when it is run as a tool. */
  inputSchema?: SchemaInput | JsonSchemaInput | undefined;
  /** `none`: the agent sees the current turn alone. */
  includeContents?: 'default' | 'none' | undefined;
  disallowTransferToParent?: boolean | undefined;
  disallowTransferToPeers?: boolean | undefined;
  generateContentConfig?: GenerateContentConfig | undefined;
  /** For one provider alone, under its name. */
  providerOptions?: { [provider: string]: JsonObject } | undefined;
  beforeModelCallback?: OneOrMany<BeforeModelCallback> | undefined;
  afterModelCallback?: OneOrMany<AfterModelCallback> | undefined;
  onModelErrorCallback?: OneOrMany<OnModelErrorCallback> | undefined;
  beforeToolCallback?: OneOrMany<BeforeToolCallback> | undefined;
  afterToolCallback?: OneOrMany<AfterToolCallback> | undefined;
  onToolErrorCallback?: OneOrMany<OnToolErrorCallback> | undefined;
}
