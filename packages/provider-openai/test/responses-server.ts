import type { JsonObject } from '@thole/core';
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { errorBody, functionCall, message, reasoning, responseOf } from './fixtures/responses-answers.ts';
import { eventsOf } from './fixtures/responses-events.ts';

/** Starts a server with the Responses API under `/v1/responses` that plays the current scenario. */
export function startResponsesServer(scenario: LlmScenario | (() => LlmScenario)): Promise<ProtocolServer> {
  return ProtocolServer.start(({ method, path, body }) => {
    if (method !== 'POST' || !path.startsWith('/v1/responses')) {
      return {
        status: 404,
        body: JSON.stringify(errorBody(null, 'invalid_request_error', `Unknown URL (${method} ${path})`)),
      };
    }
    return answerResponses(typeof scenario === 'function' ? scenario() : scenario, body);
  });
}

/** Returns the API's answer to this body, streamed on request. */
export function answerResponses(scenario: LlmScenario, body: unknown): ServerAnswer {
  const isStreamed = (body as { stream?: unknown } | undefined)?.stream === true;
  if (scenario.ending === 'error') return refusal(scenario);
  const response = responseFor(scenario);
  const isComplete = scenario.ending !== 'cut' && scenario.ending !== 'silence';
  if (!isStreamed) {
    const text = JSON.stringify(response);
    if (isComplete) return { body: text };
    return scenario.pieces ? { body: [text.slice(0, 40)], ending: endingOf(scenario) } : { ending: endingOf(scenario) };
  }
  if (!isComplete && !scenario.pieces) return { ending: endingOf(scenario) };
  const events = eventsOf(response, (text) => piecesOf(scenario, text));
  const sent = isComplete ? events : events.slice(0, events.findLastIndex(({ delta }) => delta !== undefined) + 1);
  const named = sent.map((data) => ({ event: data['type'] as string, data }));
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: serverSentEvents(named),
    ending: endingOf(scenario),
  };
}

const endingOf = ({ ending }: LlmScenario): 'end' | 'cut' | 'silence' =>
  ending === 'cut' || ending === 'silence' ? ending : 'end';

/** Splits texts as in the scenario, and arguments into three pieces. */
function piecesOf({ thoughts = [], pieces = [] }: LlmScenario, text: string): readonly string[] {
  if (text === thoughts.join('')) return thoughts;
  if (text === pieces.join('')) return pieces;
  const third = Math.ceil(text.length / 3);
  return [0, 1, 2].map((i) => text.slice(i * third, (i + 1) * third)).filter((piece) => piece !== '');
}

function responseFor({ thoughts, pieces, calls = [], encryptedReasoning, usage, ending }: LlmScenario): JsonObject {
  const output = [
    ...(thoughts
      ? [
          reasoning(
            [thoughts.join('')],
            encryptedReasoning === undefined ? {} : { encrypted_content: encryptedReasoning },
          ),
        ]
      : []),
    ...(pieces ? [message([pieces.join('')])] : []),
    ...calls.map(({ id, name, args }) => functionCall(name, JSON.stringify(args), { call_id: id, id: `fc_${id}` })),
  ];
  if (ending === 'max-tokens') return responseOf(output, incomplete('max_output_tokens'));
  if (ending === 'blocked') return responseOf(output, incomplete('content_filter'));
  return responseOf(output, usage && { usage: usageOf(usage) });
}

/** Returns the usage of the scenario. The count of output tokens includes reasoning. */
const usageOf = (counts: NonNullable<LlmScenario['usage']>): JsonObject => ({
  input_tokens: counts.promptTokenCount,
  input_tokens_details: { cached_tokens: counts.cachedContentTokenCount },
  output_tokens: counts.candidatesTokenCount + counts.thoughtsTokenCount,
  output_tokens_details: { reasoning_tokens: counts.thoughtsTokenCount },
  total_tokens: counts.totalTokenCount,
});

const incomplete = (reason: string): JsonObject => ({ status: 'incomplete', incomplete_details: { reason } });

function refusal({ name, error }: LlmScenario): ServerAnswer {
  const errorResponse = refusals[name] ?? [
    500,
    'server_error',
    null,
    'The server had an error while processing your request.',
  ];
  const [status, type, code, text] = errorResponse;
  const after = error?.retryAfterMs;
  return {
    status,
    headers: { 'x-request-id': 'req_123', ...(after !== undefined && { 'retry-after': String(after / 1000) }) },
    body: JSON.stringify(errorBody(code, type, text)),
  };
}

const refusals: { readonly [name: string]: readonly [number, string, string | null, string] } = {
  'error-rate-limited': [429, 'requests', 'rate_limit_exceeded', 'Rate limit reached for gpt-5.'],
  'error-overloaded': [503, 'server_error', null, 'The engine is currently overloaded, please try again later.'],
  'error-auth': [401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.'],
  'error-bad-request': [400, 'invalid_request_error', 'invalid_value', "Invalid value: 'frog'."],
  'error-too-long': [
    400,
    'invalid_request_error',
    'context_length_exceeded',
    'Your input exceeds the context window of this model.',
  ],
};
