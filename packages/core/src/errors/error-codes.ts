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
    docs: 'An argument is missing or has the wrong type or shape. The message names it.',
  },
  DUPLICATE_NAME: {
    status: 400,
    retryable: false,
    docs: 'Two agents, tools or plugins have the same name.',
  },
  SCHEMA_UNSUPPORTED: {
    status: 400,
    retryable: false,
    docs: 'A schema cannot be converted to JSON Schema, or a provider does not support it.',
  },
  VALUE_TOO_LARGE: { status: 413, retryable: false, docs: 'An event or a state value is over its size limit.' },
  STATE_KEY_MISSING: {
    status: 400,
    retryable: false,
    docs: 'An instruction names a state key or artifact that does not exist. `{key?}` makes it optional.',
  },
  MODEL_UNKNOWN: { status: 400, retryable: false, docs: 'No model factory of the runner knows this model name.' },
  RECORDING_INVALID: {
    status: 400,
    retryable: false,
    docs: 'A recorded run cannot be read, or has another format or version. The message names the wrong part.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    retryable: false,
    docs: 'This user of this app has no session with this id.',
  },
  SESSION_ALREADY_EXISTS: { status: 409, retryable: false, docs: 'The session id is taken.' },
  SESSION_BUSY: {
    status: 409,
    retryable: true,
    docs: 'Another run holds the session. The policy is `reject`, the queue is full, or the waiting time is over.',
  },
  LEASE_LOST: {
    status: 409,
    retryable: false,
    docs: 'The run lost its session to another run and stored nothing more.',
  },
  NOT_RUNNING: {
    status: 409,
    retryable: false,
    docs: 'The invocation does not hold the session, or was asked to stop. Nothing was stored.',
  },
  STORE_OUTCOME_UNKNOWN: {
    status: 503,
    retryable: true,
    docs: 'The store did not answer in time. Append the same event id again to find out.',
  },
  STORE_UNAVAILABLE: { status: 503, retryable: true, docs: 'The store cannot be reached or does not work.' },
  STORE_VERSION: { status: 500, retryable: false, docs: 'A newer or unknown version wrote a record.' },
  DRIVER_MISSING: {
    status: 500,
    retryable: false,
    docs: 'An optional package that this feature needs is not installed. The message names it.',
  },
  MEMORY_NOT_CONFIGURED: {
    status: 400,
    retryable: false,
    docs: 'The runner has no memory service, or one that does not support this operation.',
  },
  ARTIFACT_NOT_CONFIGURED: {
    status: 400,
    retryable: false,
    docs: 'The runner has no artifact service.',
  },
  CREDENTIAL_NOT_CONFIGURED: {
    status: 400,
    retryable: false,
    docs: 'The runner has no authenticator for the credentials of users.',
  },
  CREDENTIAL_KEYS_INVALID: {
    status: 500,
    retryable: false,
    docs: 'The keys that encrypt credentials are missing or have the wrong form. Nothing was stored.',
  },
  CREDENTIAL_UNREADABLE: {
    status: 500,
    retryable: false,
    docs: 'A stored credential cannot be decrypted: its key is missing or different, or the record was changed.',
  },
  SIGN_IN_INVALID: {
    status: 422,
    retryable: false,
    docs: 'The response to a sign-in does not fit the sign-in, or the sign-in is unknown or has expired.',
  },
  SIGN_IN_DENIED: {
    status: 403,
    retryable: false,
    docs: 'The user or the authorization server refused a sign-in. The message contains the error code of the server.',
  },
  INPUT_DECLINED: {
    status: 403,
    retryable: false,
    docs: 'The person declined a request for input. The message contains the reason.',
  },
  AUTH_SERVER_FAILED: {
    status: 502,
    retryable: false,
    docs: 'An authorization server refused the request or did not answer. The message contains its error code.',
  },
  MCP_SERVER_FAILED: {
    status: 502,
    retryable: false,
    docs: 'An MCP server cannot be reached, did not answer in time, refused a request or broke the protocol.',
  },
  ARTIFACT_TOO_LARGE: { status: 413, retryable: false, docs: 'An artifact is over the size limit.' },
  CONTEXT_CLOSED: { status: 409, retryable: false, docs: 'A context was used after its call or run had ended.' },
  INVOCATION_NOT_FOUND: {
    status: 404,
    retryable: false,
    docs: 'The session has no such invocation, or it was rewound.',
  },
  INTERRUPT_NOT_FOUND: {
    status: 404,
    retryable: false,
    docs: 'The session has no interrupt with this id, or it was rewound.',
  },
  INTERRUPT_ANSWERED: {
    status: 409,
    retryable: false,
    docs: 'The interrupt has an answer already, or its invocation has ended. The first answer counts.',
  },
  INTERRUPT_EXPIRED: {
    status: 410,
    retryable: false,
    docs: 'The answer came after the interrupt had expired.',
  },
  INTERRUPT_MISMATCH: {
    status: 403,
    retryable: false,
    docs: 'The request does not fit the recorded call, the agent or its tools. `details.reason` names the problem.',
  },
  ANSWER_INVALID: {
    status: 422,
    retryable: false,
    docs: 'The answer has the wrong form or does not fit the schema of the request. The interrupt stays open.',
  },
  ARGUMENTS_NOT_EDITABLE: {
    status: 422,
    retryable: false,
    docs: 'An approval contains edited arguments, but the tool does not allow them.',
  },
  INVOCATION_ENDED: {
    status: 409,
    retryable: false,
    docs: 'The invocation was cancelled, aborted or replaced, or the app cannot resume it.',
  },
  MESSAGE_ID_TAKEN: {
    status: 409,
    retryable: false,
    docs: 'The session has another message with this `messageId`.',
  },
  RESUME_DIVERGED: {
    status: 409,
    retryable: false,
    docs: 'When an invocation was resumed, a custom agent did something else than before, or an agent is missing.',
  },
  RESUME_FAILED: {
    status: 500,
    retryable: false,
    docs: 'Recovery tried three times to continue the invocation, without progress.',
  },
  RUN_SUPERSEDED: {
    status: 409,
    retryable: false,
    docs: 'A new message began while the invocation was unfinished.',
  },
  LEASING_NOT_SUPPORTED: {
    status: 400,
    retryable: false,
    docs: 'The session service has no leases or no list of waiting sessions, which recovery needs.',
  },
  REWIND_SPLITS_CALL: {
    status: 409,
    retryable: false,
    docs: 'A rewind would keep a call and remove its answer. `details.invocationId` is an earlier invocation that works.',
  },
  COMPACTION_FAILED: {
    status: 502,
    retryable: true,
    docs: 'The summarizer failed or returned no usable summary. The session is unchanged.',
  },
  RUN_ABORTED: {
    status: 499,
    retryable: false,
    docs: 'The caller aborted or cancelled the run. The cause is the reason of the signal.',
  },
  RUN_INTERRUPTED: { status: 409, retryable: false, docs: 'A newer run of the session replaced this run.' },
  RUN_TIME_LIMIT: { status: 504, retryable: false, docs: 'The run took longer than `timeLimitMs`.' },
  RUN_ABANDONED: { status: 408, retryable: false, docs: 'The reader requested no event for `idleLimitMs`.' },
  RUN_LEFT: {
    status: 499,
    retryable: false,
    docs: 'The reader left the loop early.',
  },
  LLM_CALL_LIMIT: { status: 500, retryable: false, docs: 'The invocation reached `maxLlmCalls` model calls.' },
  TOKEN_LIMIT: {
    status: 429,
    retryable: false,
    docs: 'The invocation reached `limits.tokens`, or the user a limit of a `BudgetPlugin`.',
  },
  COST_LIMIT: {
    status: 429,
    retryable: false,
    docs: 'The invocation reached `limits.cost`, or the user a limit of a `BudgetPlugin`.',
  },
  LOOP_LIMIT: {
    status: 500,
    retryable: false,
    docs: 'A LoopAgent made more than 1,000 consecutive rounds without a model call or a wait.',
  },
  MODEL_STUCK: {
    status: 502,
    retryable: false,
    docs: 'In three consecutive steps the model made only unknown or invalid calls.',
  },
  MODEL_INCOMPLETE: { status: 502, retryable: true, docs: 'The answer of the model ended before it was complete.' },
  MODEL_PROTOCOL: {
    status: 502,
    retryable: false,
    docs: 'A model broke its contract, for example with two final responses, or a server sent a body that is not an answer of its API (check `baseUrl`).',
  },
  MODEL_EMPTY: { status: 502, retryable: true, docs: 'The model answered without parts and without a reason.' },
  MODEL_BLOCKED: {
    status: 422,
    retryable: false,
    docs: 'The provider blocked the prompt or the answer. `finishReason` has details.',
  },
  MODEL_RATE_LIMITED: {
    status: 429,
    retryable: true,
    docs: 'The rate limit of the provider is reached. `retryAfterMs` is the time to wait.',
  },
  MODEL_OVERLOADED: { status: 503, retryable: true, docs: 'The provider is overloaded.' },
  MODEL_UNAVAILABLE: { status: 503, retryable: true, docs: 'The provider cannot be reached.' },
  MODEL_TIMEOUT: { status: 504, retryable: true, docs: 'The provider did not answer in time.' },
  MODEL_AUTH: { status: 502, retryable: false, docs: 'The provider rejected the credentials.' },
  MODEL_BAD_REQUEST: { status: 502, retryable: false, docs: 'The provider rejected the request.' },
  MODEL_CONTEXT_TOO_LONG: { status: 502, retryable: false, docs: 'The prompt is longer than the model allows.' },
  MODEL_FAILED: {
    status: 502,
    retryable: false,
    docs: 'The model threw an error without a code, which is in `cause`.',
  },
  OUTPUT_INVALID: {
    status: 502,
    retryable: false,
    docs: 'The answer did not fit `outputSchema` after two more attempts. The message names the member.',
  },
  PLUGIN_FAILED: {
    status: 500,
    retryable: false,
    docs: 'A hook of a plugin threw. The message names plugin and hook.',
  },
  CALLBACK_FAILED: {
    status: 500,
    retryable: false,
    docs: 'A callback of an agent threw. The message names agent and callback.',
  },
  TOOL_FAILED: {
    status: 500,
    retryable: false,
    docs: 'A tool or toolset threw while the request was built. The message names it. Errors of calls are sent to the model.',
  },
  AGENT_FAILED: {
    status: 500,
    retryable: false,
    docs: 'An agent threw an error without a code, which is in `cause`.',
  },
  NOT_FOUND: { status: 404, retryable: false, docs: 'The server has no such route, app, artifact, run or trace.' },
  UNAUTHENTICATED: {
    status: 401,
    retryable: false,
    docs: 'The request does not prove who sent it.',
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    docs: 'The request is not allowed for this app, user, host or origin.',
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    docs: 'This caller sent too many requests. `retryAfterMs` is the time to wait.',
  },
  SERVER_BUSY: { status: 503, retryable: true, docs: 'The server runs its maximum number of runs, or is closing.' },
  USER_NOT_FOUND: { status: 404, retryable: false, docs: 'The identity store has no user with this id.' },
  USER_ALREADY_EXISTS: { status: 409, retryable: false, docs: 'The identity store has another user with this id.' },
  IDENTITY_TAKEN: { status: 409, retryable: false, docs: 'The sender on this channel belongs to another user.' },
  CHANNEL_REJECTED: {
    status: 502,
    retryable: false,
    docs: 'The service of a channel refuses this message for good, for example because the address does not exist.',
  },
  CHANNEL_UNAVAILABLE: {
    status: 503,
    retryable: true,
    docs: 'The service of a channel cannot be reached or refuses messages for now.',
  },
  EMBEDDER_FAILED: {
    status: 502,
    retryable: true,
    docs: 'The embedder threw, or returned the wrong number or length of vectors.',
  },
} as const;

/** A code of `errorCodes`, or any string that a newer package or a third party uses. */
export type TholeErrorCode = keyof typeof errorCodes | (string & {});

/** Returns the table's entry for a code. For an unknown code: status 500, not retryable. */
export function errorCodeInfo(code: TholeErrorCode): ErrorCodeInfo {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes] : unknownCode;
}

const unknownCode: ErrorCodeInfo = { status: 500, retryable: false, docs: 'A code that this version does not know.' };
