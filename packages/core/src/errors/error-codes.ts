/** The meaning of an error code: HTTP status, whether the same call may succeed later, and a line for the docs. */
export interface ErrorCodeInfo {
  readonly status: number;
  readonly retryable: boolean;
  readonly docs: string;
}

/** All error codes of the project. Servers and the docs read this table. */
export const errorCodes = {
  INVALID_INPUT: {
    status: 400,
    retryable: false,
    docs: 'An argument is missing or has the wrong type or shape; the message names it.',
  },
  DUPLICATE_NAME: {
    status: 400,
    retryable: false,
    docs: 'Two agents, tools or plugins that must differ have one name.',
  },
  SCHEMA_UNSUPPORTED: {
    status: 400,
    retryable: false,
    docs: 'A schema cannot be turned into JSON Schema, or a provider cannot take it.',
  },
  VALUE_TOO_LARGE: { status: 413, retryable: false, docs: 'An event or a state value is over its size limit.' },
  STATE_KEY_MISSING: {
    status: 400,
    retryable: false,
    docs: 'An instruction names a state key or artifact that is not there; `{key?}` makes it optional.',
  },
  MODEL_UNKNOWN: { status: 400, retryable: false, docs: 'No model factory given to the runner knows this model name.' },
  SESSION_NOT_FOUND: {
    status: 404,
    retryable: false,
    docs: 'No session with this id belongs to this user of this app.',
  },
  SESSION_ALREADY_EXISTS: { status: 409, retryable: false, docs: 'The session id is taken.' },
  SESSION_BUSY: {
    status: 409,
    retryable: true,
    docs: 'Another run holds the session and the policy, the queue or the wait has no room for this one.',
  },
  LEASE_LOST: {
    status: 409,
    retryable: false,
    docs: 'The run lost its hold on the session, to another run; it stored nothing more.',
  },
  STORE_OUTCOME_UNKNOWN: {
    status: 503,
    retryable: true,
    docs: 'The store did not answer in time; append the same event id again to find out.',
  },
  STORE_UNAVAILABLE: { status: 503, retryable: true, docs: 'The store cannot be reached or refuses to work.' },
  STORE_VERSION: { status: 500, retryable: false, docs: 'A record was written by a newer or unknown version.' },
  DRIVER_MISSING: {
    status: 500,
    retryable: false,
    docs: 'An optional package that this feature needs is not installed; the message names it.',
  },
  MEMORY_NOT_CONFIGURED: {
    status: 400,
    retryable: false,
    docs: 'Memory was asked for, but the runner has no memory service, or one without this ability.',
  },
  ARTIFACT_NOT_CONFIGURED: {
    status: 400,
    retryable: false,
    docs: 'An artifact was asked for, but the runner has no artifact service.',
  },
  ARTIFACT_TOO_LARGE: { status: 413, retryable: false, docs: 'An artifact is over the size limit.' },
  CONTEXT_CLOSED: { status: 409, retryable: false, docs: 'A context was used after its call or run had ended.' },
  RUN_ABORTED: {
    status: 499,
    retryable: false,
    docs: 'The caller aborted or cancelled the run; the cause is the signal’s reason.',
  },
  RUN_INTERRUPTED: { status: 409, retryable: false, docs: 'A newer run of the session took over.' },
  RUN_TIME_LIMIT: { status: 504, retryable: false, docs: 'The run took longer than `timeLimitMs`.' },
  RUN_ABANDONED: { status: 408, retryable: false, docs: 'Nobody read the run for `idleLimitMs`.' },
  RUN_LEFT: {
    status: 499,
    retryable: false,
    docs: 'The reader left the loop early. Only in closing records; nothing is thrown.',
  },
  LLM_CALL_LIMIT: { status: 500, retryable: false, docs: 'The invocation made `maxLlmCalls` model calls.' },
  LOOP_LIMIT: {
    status: 500,
    retryable: false,
    docs: 'A LoopAgent ran more than 1,000 rounds in a row without a model call or a wait.',
  },
  MODEL_STUCK: {
    status: 502,
    retryable: false,
    docs: 'The model made nothing but unknown or refused calls three steps on end.',
  },
  MODEL_INCOMPLETE: { status: 502, retryable: true, docs: 'The model’s answer ended before it was whole.' },
  MODEL_PROTOCOL: {
    status: 502,
    retryable: false,
    docs: 'A model implementation broke its promise, such as two final responses.',
  },
  MODEL_EMPTY: { status: 502, retryable: true, docs: 'The model answered with no parts and no reason.' },
  MODEL_BLOCKED: {
    status: 422,
    retryable: false,
    docs: 'The provider blocked the prompt or the answer; `finishReason` tells more.',
  },
  MODEL_RATE_LIMITED: {
    status: 429,
    retryable: true,
    docs: 'The provider’s rate limit; `retryAfterMs` says when to come back.',
  },
  MODEL_OVERLOADED: { status: 503, retryable: true, docs: 'The provider is overloaded.' },
  MODEL_UNAVAILABLE: { status: 503, retryable: true, docs: 'The provider cannot be reached.' },
  MODEL_TIMEOUT: { status: 504, retryable: true, docs: 'The provider did not answer in time.' },
  MODEL_AUTH: { status: 502, retryable: false, docs: 'The provider refused the credentials.' },
  MODEL_BAD_REQUEST: { status: 502, retryable: false, docs: 'The provider refused the request.' },
  MODEL_CONTEXT_TOO_LONG: { status: 502, retryable: false, docs: 'The prompt is longer than the model takes.' },
  MODEL_FAILED: {
    status: 502,
    retryable: false,
    docs: 'The model failed with an error that carries no code of ours; it is the cause.',
  },
  OUTPUT_INVALID: {
    status: 502,
    retryable: false,
    docs: 'The answer did not fit `outputSchema`, after two more attempts.',
  },
  PLUGIN_FAILED: { status: 500, retryable: false, docs: 'A plugin’s hook threw; the message names plugin and hook.' },
  CALLBACK_FAILED: {
    status: 500,
    retryable: false,
    docs: 'An agent’s callback threw; the message names agent and callback.',
  },
  TOOL_FAILED: {
    status: 500,
    retryable: false,
    docs: 'A tool or toolset threw while the request was being built; the message names it. What a call throws is answered to the model.',
  },
  AGENT_FAILED: {
    status: 500,
    retryable: false,
    docs: 'An agent threw an error that carries no code; it is the cause.',
  },
  NOT_FOUND: { status: 404, retryable: false, docs: 'The server has no such route, app, artifact, run or trace.' },
  UNAUTHENTICATED: {
    status: 401,
    retryable: false,
    docs: 'The request does not say, in a way the server believes, who sent it.',
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    docs: 'The request may not do this, for this app, user, host or origin.',
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    docs: 'Too many requests of this caller; `retryAfterMs` says when to come back.',
  },
  SERVER_BUSY: { status: 503, retryable: true, docs: 'The server runs as many runs as it may, or is about to close.' },
  EMBEDDER_FAILED: {
    status: 502,
    retryable: true,
    docs: 'The embedder threw, or answered with the wrong number or length of vectors.',
  },
} as const;

/** The codes of the table, and any string that a newer package or a third party uses. */
export type TholeErrorCode = keyof typeof errorCodes | (string & {});

/** Returns the table's entry for a code. For an unknown code: status 500, not retryable. */
export function errorCodeInfo(code: TholeErrorCode): ErrorCodeInfo {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes] : unknownCode;
}

const unknownCode: ErrorCodeInfo = { status: 500, retryable: false, docs: 'A code that this version does not know.' };
