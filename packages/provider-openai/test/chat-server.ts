import type { Json, JsonObject } from '@thole/core';
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { Answering, ServerAnswer } from '@thole/testing/http';

/**
 * Starts a Chat Completions server that plays the scenario at each call. The formats are those of OpenAI
 * (https://platform.openai.com/docs/api-reference/chat, "The chat completion object", "The chat completion chunk object" and
 * "Error codes"); thoughts are sent as by DeepSeek and vLLM (https://api-docs.deepseek.com/guides/thinking_mode).
 */
export function startChatServer(scenario: LlmScenario): Promise<ProtocolServer> {
  return ProtocolServer.start(chatAnswers(scenario));
}

/** Returns the handler that answers `POST …/chat/completions` with the scenario. */
export function chatAnswers(scenario: LlmScenario): Answering {
  return ({ body }) => {
    if (scenario.ending === 'error') return refusal(scenario);
    const isStreamed = (body as JsonObject)['stream'] === true;
    if (!isStreamed)
      return scenario.ending === 'silence' ? { ending: 'silence' } : { body: JSON.stringify(whole(scenario)) };
    const chunks = streamed(scenario);
    const events: (string | { data: Json })[] = chunks.map((data) => ({ data }));
    const headers = { 'content-type': 'text/event-stream' };
    if (scenario.ending === 'cut') return { headers, body: serverSentEvents(events), ending: 'cut' };
    if (scenario.ending !== 'silence') return { headers, body: serverSentEvents([...events, '[DONE]']) };
    return scenario.pieces ? { headers, body: serverSentEvents(events), ending: 'silence' } : { ending: 'silence' };
  };
}

const frame = {
  id: 'chatcmpl-123',
  created: 1_694_268_190,
  model: 'gpt-5-mini-2025-08-07',
  system_fingerprint: 'fp_44709d6fcb',
};
const usage = {
  prompt_tokens: 19,
  completion_tokens: 30,
  total_tokens: 49,
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 0 },
};

/** Returns the usage of the scenario. The count of completion tokens includes reasoning. */
function usageOf({ usage: counts }: LlmScenario): JsonObject {
  if (!counts) return usage;
  return {
    prompt_tokens: counts.promptTokenCount,
    completion_tokens: counts.candidatesTokenCount + counts.thoughtsTokenCount,
    total_tokens: counts.totalTokenCount,
    prompt_tokens_details: { cached_tokens: counts.cachedContentTokenCount },
    completion_tokens_details: { reasoning_tokens: counts.thoughtsTokenCount },
  };
}

function finish({ ending, calls }: LlmScenario): string {
  if (ending === 'max-tokens') return 'length';
  if (ending === 'blocked') return 'content_filter';
  return calls ? 'tool_calls' : 'stop';
}

function whole(scenario: LlmScenario): JsonObject {
  const { thoughts, pieces, calls } = scenario;
  const message = {
    role: 'assistant',
    content: pieces ? pieces.join('') : null,
    refusal: null,
    annotations: [],
    ...(thoughts && { reasoning_content: thoughts.join('') }),
    ...(calls && {
      tool_calls: calls.map(({ id, name, args }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      })),
    }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finish(scenario) }];
  return { ...frame, object: 'chat.completion', choices, usage: usageOf(scenario) };
}

function streamed(scenario: LlmScenario): JsonObject[] {
  const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
    ...frame,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
  });
  const { thoughts = [], pieces = [], calls = [], ending } = scenario;
  const fragments = calls.flatMap(({ id, name, args }, index) => {
    const text = JSON.stringify(args);
    const half = text.length >> 1;
    return [
      { index, id, type: 'function', function: { name, arguments: '' } },
      { index, function: { arguments: text.slice(0, half) } },
      { index, function: { arguments: text.slice(half) } },
    ];
  });
  const chunks = [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...thoughts.map((reasoning_content) => chunk({ reasoning_content })),
    ...pieces.map((content) => chunk({ content })),
    ...fragments.map((call) => chunk({ tool_calls: [call] })),
  ];
  if (ending === 'cut' || ending === 'silence') return chunks;
  return [
    ...chunks,
    chunk({}, finish(scenario)),
    { ...frame, object: 'chat.completion.chunk', choices: [], usage: usageOf(scenario) },
  ];
}

/** Error responses, see https://platform.openai.com/docs/guides/error-codes. */
const REFUSALS: {
  readonly [name: string]: { status: number; error: JsonObject; headers?: { [name: string]: string } };
} = {
  'error-rate-limited': {
    status: 429,
    headers: { 'retry-after': '2' },
    error: { message: 'Rate limit reached for requests', type: 'requests', param: null, code: 'rate_limit_exceeded' },
  },
  'error-overloaded': {
    status: 503,
    error: {
      message: 'The engine is currently overloaded, please try again later',
      type: 'server_error',
      param: null,
      code: null,
    },
  },
  'error-auth': {
    status: 401,
    error: {
      message: 'Incorrect API key provided',
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_api_key',
    },
  },
  'error-bad-request': {
    status: 400,
    error: {
      message: "Invalid value for 'temperature'",
      type: 'invalid_request_error',
      param: 'temperature',
      code: 'invalid_value',
    },
  },
  'error-too-long': {
    status: 400,
    error: {
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
};

function refusal({ name }: LlmScenario): ServerAnswer {
  const { status, error, headers } = REFUSALS[name]!;
  return { status, headers: { 'x-request-id': 'req_123', ...headers }, body: JSON.stringify({ error }) };
}
