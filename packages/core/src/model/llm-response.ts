import type { Content } from '../content/content.ts';
import type { Json, JsonObject } from '../json/json.ts';

/** One piece of a model's answer, or the complete answer. */
export interface LlmResponse {
  content?: Content | undefined;
  /** True for a streamed piece. It contains only new text and never a call. */
  partial?: boolean | undefined;
  turnComplete?: boolean | undefined;
  /** The provider's finish reason (`STOP`, `MAX_TOKENS`, `SAFETY` …). Unknown values are passed on. */
  finishReason?: string | undefined;
  errorCode?: string | undefined;
  errorMessage?: string | undefined;
  interrupted?: boolean | undefined;
  usageMetadata?: Usage | undefined;
  groundingMetadata?: JsonObject | undefined;
  citationMetadata?: JsonObject | undefined;
  inputTranscription?: Transcription | undefined;
  outputTranscription?: Transcription | undefined;
  modelVersion?: string | undefined;
  customMetadata?: { [key: string]: Json } | undefined;
}

/** Token counts. The total includes thoughts and tool use. */
export interface Usage {
  promptTokenCount?: number | undefined;
  candidatesTokenCount?: number | undefined;
  totalTokenCount?: number | undefined;
  /** Prompt tokens that were read from a cache. Included in `promptTokenCount`. */
  cachedContentTokenCount?: number | undefined;
  /** Prompt tokens that were written to a cache. Included in `promptTokenCount`. Some providers charge more for them. */
  cacheCreationTokenCount?: number | undefined;
  thoughtsTokenCount?: number | undefined;
  toolUsePromptTokenCount?: number | undefined;
}

/** Spoken words as text. */
export interface Transcription {
  text?: string | undefined;
  finished?: boolean | undefined;
}
