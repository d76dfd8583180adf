import type { Content } from '../content/content.ts';
import type { Json, JsonObject } from '../json/json.ts';

/**
 * What a model is asked: data only, no functions. Its arrays are its own; the contents in them may be frozen and shared
 * with the history, so replace a content, don't change it.
 */
export interface LlmRequest {
  model?: string | undefined;
  contents: readonly Content[];
  config: GenerateContentConfig;
  /** For one provider alone, under its name. */
  providerOptions?: { [provider: string]: JsonObject } | undefined;
}

/** Gemini's names for what every provider has; each maps what it can. */
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

/** Functions of ours that the model may call, or a tool that the provider runs itself. */
export type ToolDeclaration =
  | { functionDeclarations: FunctionDeclaration[] }
  | { googleSearch: JsonObject }
  | { codeExecution: JsonObject }
  | { fileSearch: JsonObject }
  | { webSearch: JsonObject };

/** How a function is told to a model. */
export interface FunctionDeclaration {
  name: string;
  description?: string | undefined;
  /** JSON Schema, draft 2020-12. */
  parametersJsonSchema?: JsonObject | undefined;
  responseJsonSchema?: JsonObject | undefined;
}

/** Whether the model may, must or must not call functions, and which. */
export interface ToolConfig {
  functionCallingConfig?:
    | { mode?: 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED' | undefined; allowedFunctionNames?: string[] | undefined }
    | undefined;
  [other: string]: Json | undefined | { mode?: string | undefined; allowedFunctionNames?: string[] | undefined };
}

/** How much the model may think, and whether it shows it. */
export interface ThinkingConfig {
  includeThoughts?: boolean | undefined;
  thinkingBudget?: number | undefined;
  thinkingLevel?: string | undefined;
}
