import type { Json, JsonObject } from '../json/json.ts';

/** One message: who it is from and what it holds. Gemini's JSON shape. */
export interface Content {
  role?: 'user' | 'model' | undefined;
  parts?: Part[] | undefined;
}

/**
 * One piece of a message: exactly one of text, call, response, data, file or code. Members that this version does not
 * know are kept as they came, through storage and back.
 */
export interface Part {
  text?: string | undefined;
  /** The text is the model's thinking, not its answer. */
  thought?: boolean | undefined;
  /** Opaque, as the provider gave it (base64 or base64url); goes back to that provider on the same part. */
  thoughtSignature?: string | undefined;
  functionCall?: FunctionCall | undefined;
  functionResponse?: FunctionResponse | undefined;
  inlineData?: InlineData | undefined;
  fileData?: FileData | undefined;
  executableCode?: ExecutableCode | undefined;
  codeExecutionResult?: CodeExecutionResult | undefined;
  /** What only the provider that made the part understands; each provider sends back its own alone. */
  partMetadata?: { provider: string; [key: string]: Json } | undefined;
}

/** The model asks for a tool. The id pairs it with its answer. */
export interface FunctionCall {
  id?: string | undefined;
  name: string;
  args: JsonObject;
  /** What the model sent as arguments, where that is no JSON object; `args` is empty then, and the call is not run. */
  brokenArgs?: string | undefined;
}

/** What a tool answered to the call with this id. */
export interface FunctionResponse {
  id?: string | undefined;
  name: string;
  response: JsonObject;
  /** Images, audio and files that belong to the answer; a provider that cannot send them sends a line of text instead. */
  parts?: FunctionResponsePart[] | undefined;
}

/** One image, audio clip or file in a tool's answer: exactly one of the two. */
export interface FunctionResponsePart {
  inlineData?: InlineData | undefined;
  fileData?: FileData | undefined;
}

/** Bytes within the message. */
export interface InlineData {
  mimeType: string;
  /** base64 */
  data: string;
  displayName?: string | undefined;
}

/** A file that stands elsewhere. */
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

/** What came of running it. */
export interface CodeExecutionResult {
  outcome?: string | undefined;
  output?: string | undefined;
}
