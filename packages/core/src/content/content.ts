import type { Json, JsonObject } from '../json/json.ts';

/** One message: its author's role and its parts, in Gemini's JSON shape. */
export interface Content {
  role?: 'user' | 'model' | undefined;
  parts?: Part[] | undefined;
}

/**
 * One piece of a message: exactly one of text, call, response, data, file or code. Members that this version does
 * not know are stored and returned unchanged.
 */
export interface Part {
  text?: string | undefined;
  /** True if the text is the model's thinking, not its answer. */
  thought?: boolean | undefined;
  /** Opaque value of the provider (base64 or base64url). It is sent back to this provider in the same part. */
  thoughtSignature?: string | undefined;
  functionCall?: FunctionCall | undefined;
  functionResponse?: FunctionResponse | undefined;
  inlineData?: InlineData | undefined;
  fileData?: FileData | undefined;
  executableCode?: ExecutableCode | undefined;
  codeExecutionResult?: CodeExecutionResult | undefined;
  /** Data of the provider that made the part. A provider sends back only its own data. */
  partMetadata?: { provider: string; [key: string]: Json } | undefined;
}

/** A model's call of a tool. The id pairs it with its answer. */
export interface FunctionCall {
  id?: string | undefined;
  name: string;
  args: JsonObject;
  /**
   * The arguments as the model sent them, if they are not a JSON object that an event can contain. `args` is then empty, and the
   * call does not run.
   */
  brokenArgs?: string | undefined;
}

/** A tool's answer to the call with this id. */
export interface FunctionResponse {
  id?: string | undefined;
  name: string;
  response: JsonObject;
  /** True for an update of a long-running call, which stays open. Never sent to a provider. */
  willContinue?: boolean | undefined;
  /** Images, audio and files of the answer. A provider that cannot send them sends a line of text instead. */
  parts?: FunctionResponsePart[] | undefined;
}

/** One image, audio clip or file in a tool's answer. Exactly one of the two members is set. */
export interface FunctionResponsePart {
  inlineData?: InlineData | undefined;
  fileData?: FileData | undefined;
}

/** Bytes inside the message. */
export interface InlineData {
  mimeType: string;
  /** Base64 text. */
  data: string;
  displayName?: string | undefined;
}

/** A file at a URI. */
export interface FileData {
  fileUri: string;
  mimeType?: string | undefined;
  displayName?: string | undefined;
}

/** Code that the provider runs itself. */
export interface ExecutableCode {
  code: string;
  language?: string | undefined;
}

/** The result of code that the provider ran. */
export interface CodeExecutionResult {
  outcome?: string | undefined;
  output?: string | undefined;
}
