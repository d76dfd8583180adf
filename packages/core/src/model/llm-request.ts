import type { Content } from '../content/content.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { ContextCacheHint } from './context-cache.ts';

/**
 * A request to a model: data only, no functions. Callbacks may change its arrays. The contents in them may
 * be frozen and shared with the history: replace a content instead of changing it.
 */
export interface LlmRequest {
  /**
   * Name of the model. A `beforeModelCallback` may set the name of another model: a factory of the runner creates it, otherwise the
   * model object of the agent is called with this name.
   */
  model?: string | undefined;
  contents: readonly Content[];
  config: GenerateContentConfig;
  /** Options for one provider, under its name. */
  providerOptions?: { [provider: string]: JsonObject } | undefined;
  /** Prompt caching, if the app has `contextCache`. A model may ignore it. */
  contextCache?: ContextCacheHint | undefined;
}

/** Generation settings with Gemini's names. Each provider maps the settings that it supports. */
export interface GenerateContentConfig {
  systemInstruction?: string | undefined;
  tools?: ToolDeclaration[] | undefined;
  toolConfig?: ToolConfig | undefined;
  responseJsonSchema?: JsonObject | undefined;
  responseMimeType?: string | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  maxOutputTokens?: number | undefined;
  stopSequences?: string[] | undefined;
  seed?: number | undefined;
  thinkingConfig?: ThinkingConfig | undefined;
  safetySettings?: JsonObject[] | undefined;
  cachedContent?: string | undefined;
  labels?: { [key: string]: string } | undefined;
}

/** Functions that the model may call, or a tool that the provider runs itself. */
export type ToolDeclaration =
  | { functionDeclarations: FunctionDeclaration[] }
  | { googleSearch: JsonObject }
  | { codeExecution: JsonObject }
  | { fileSearch: JsonObject }
  | { webSearch: JsonObject };

/** Declaration of a function for a model. */
export interface FunctionDeclaration {
  name: string;
  description?: string | undefined;
  /** JSON Schema, draft 2020-12. */
  parametersJsonSchema?: JsonObject | undefined;
  responseJsonSchema?: JsonObject | undefined;
}

/** Controls whether the model may, must or must not call functions, and which. */
export interface ToolConfig {
  functionCallingConfig?:
    | { mode?: 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED' | undefined; allowedFunctionNames?: string[] | undefined }
    | undefined;
  [other: string]: Json | undefined | { mode?: string | undefined; allowedFunctionNames?: string[] | undefined };
}

/** Controls how much the model thinks and whether it shows its thoughts. */
export interface ThinkingConfig {
  includeThoughts?: boolean | undefined;
  thinkingBudget?: number | undefined;
  thinkingLevel?: string | undefined;
}
