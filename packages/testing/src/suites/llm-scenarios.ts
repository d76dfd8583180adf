import type { JsonObject, TholeErrorCode, Usage } from '@thole/core';

/** The behaviour of a provider's server as data, for a test server with the provider's protocol. */
export interface LlmScenario {
  readonly name: LlmScenarioName;
  /** The model's thinking, in streamed pieces, before the text. */
  readonly thoughts?: readonly string[] | undefined;
  /** The model's text, in streamed pieces. */
  readonly pieces?: readonly string[] | undefined;
  /**
   * A signature or encrypted reasoning, as base64, with the thoughts or the first call. The next request must send it
   * back unchanged. Claim: `signatures`.
   */
  readonly encryptedReasoning?: string | undefined;
  /** Token counts of the provider. */
  readonly usage?:
    | Readonly<Record<Exclude<keyof Usage, 'toolUsePromptTokenCount' | 'cacheCreationTokenCount'>, number>>
    | undefined;
  /** Calls, after the text. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: JsonObject }[] | undefined;
  /**
   * End of the answer. `stop`: complete. `max-tokens`: at the token limit. `blocked`: stopped by a filter. `error`: an
   * error instead of an answer. `cut`: the connection breaks after the pieces. `silence`: the connection stays open.
   */
  readonly ending: 'stop' | 'max-tokens' | 'blocked' | 'error' | 'cut' | 'silence';
  /** The error that the model must throw, if the ending is an error. */
  readonly error?:
    | { readonly code: TholeErrorCode; readonly retryable: boolean; readonly retryAfterMs?: number | undefined }
    | undefined;
}

/** Names of the scenarios of the `llm` cases. */
export type LlmScenarioName =
  | 'text'
  | 'stream'
  | 'thinking'
  | 'call'
  | 'parallel-calls'
  | 'text-then-call'
  | 'encrypted'
  | 'usage'
  | 'empty'
  | 'blocked'
  | 'max-tokens'
  | 'error-rate-limited'
  | 'error-overloaded'
  | 'error-auth'
  | 'error-bad-request'
  | 'error-too-long'
  | 'error-mid-stream'
  | 'silent'
  | 'silent-mid-stream';

/** All scenarios of the `llm` cases by name. */
export const llmScenarios: { readonly [Name in LlmScenarioName]: LlmScenario & { readonly name: Name } } = {
  text: { name: 'text', pieces: ['The harbour hotel has a room.'], ending: 'stop' },
  stream: { name: 'stream', pieces: ['The har', 'bour ', 'hotel — ', '部屋 🏨', ' is free.\n'], ending: 'stop' },
  thinking: { name: 'thinking', thoughts: ['High floors, ', 'so nine.'], pieces: ['Room ', '912.'], ending: 'stop' },
  call: {
    name: 'call',
    calls: [{ id: 'call-a', name: 'find_rooms', args: { city: 'Oslo', floors: [8, 9], sea: true } }],
    ending: 'stop',
  },
  'parallel-calls': {
    name: 'parallel-calls',
    calls: [
      { id: 'call-a', name: 'find_rooms', args: { city: 'Oslo' } },
      { id: 'call-b', name: 'find_rooms', args: { city: 'Bergen' } },
      { id: 'call-c', name: 'list_guests', args: {} },
    ],
    ending: 'stop',
  },
  'text-then-call': {
    name: 'text-then-call',
    pieces: ['Let me ', 'look.'],
    calls: [{ id: 'call-a', name: 'find_rooms', args: { city: 'Oslo' } }],
    ending: 'stop',
  },
  encrypted: {
    name: 'encrypted',
    thoughts: ['High floors.'],
    encryptedReasoning: 'c2VhbGVkLXJlYXNvbmluZy1vZi10aGUtbW9kZWw=',
    calls: [{ id: 'call-a', name: 'find_rooms', args: { city: 'Oslo' } }],
    ending: 'stop',
  },
  usage: {
    name: 'usage',
    thoughts: ['Nine.'],
    pieces: ['Room 912.'],
    usage: {
      promptTokenCount: 110,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 5,
      totalTokenCount: 122,
    },
    ending: 'stop',
  },
  empty: { name: 'empty', ending: 'stop' },
  blocked: { name: 'blocked', ending: 'blocked' },
  'max-tokens': { name: 'max-tokens', pieces: ['The harbour ', 'hotel has'], ending: 'max-tokens' },
  'error-rate-limited': {
    name: 'error-rate-limited',
    ending: 'error',
    error: { code: 'MODEL_RATE_LIMITED', retryable: true, retryAfterMs: 2000 },
  },
  'error-overloaded': {
    name: 'error-overloaded',
    ending: 'error',
    error: { code: 'MODEL_OVERLOADED', retryable: true },
  },
  'error-auth': { name: 'error-auth', ending: 'error', error: { code: 'MODEL_AUTH', retryable: false } },
  'error-bad-request': {
    name: 'error-bad-request',
    ending: 'error',
    error: { code: 'MODEL_BAD_REQUEST', retryable: false },
  },
  'error-too-long': {
    name: 'error-too-long',
    ending: 'error',
    error: { code: 'MODEL_CONTEXT_TOO_LONG', retryable: false },
  },
  'error-mid-stream': { name: 'error-mid-stream', pieces: ['The har', 'bour'], ending: 'cut' },
  silent: { name: 'silent', ending: 'silence' },
  'silent-mid-stream': { name: 'silent-mid-stream', pieces: ['The har'], ending: 'silence' },
};
