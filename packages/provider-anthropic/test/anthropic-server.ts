import type { JsonObject } from '@thole/core';
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { errorBody, eventsOf, messageFor } from './fixtures/messages.ts';

/** Starts a server with the Messages API that plays the scenario at each call. */
export function startAnthropicServer(scenario: LlmScenario): Promise<ProtocolServer> {
  return ProtocolServer.start(({ method, path, headers, body }) => {
    if (method !== 'POST' || path !== '/v1/messages')
      return { status: 404, body: JSON.stringify(errorBody('not_found_error', `Not found: ${method} ${path}`)) };
    return rejectSampling(headers['anthropic-version'], body) ?? answerMessages(scenario, body);
  });
}

/** Rejects sampling settings in versions of the API that do not have them. */
function rejectSampling(version: string | undefined, body: unknown): ServerAnswer | undefined {
  const setting = ['temperature', 'top_p', 'top_k'].find((name) => name in (body as object));
  if (setting === undefined || version === '2023-06-01') return undefined;
  const message = `${setting}: Extra inputs are not permitted`;
  return { status: 400, body: JSON.stringify(errorBody('invalid_request_error', message)) };
}

/** Returns the API's answer to this body, streamed on request. */
function answerMessages(scenario: LlmScenario, body: unknown): ServerAnswer {
  if (scenario.ending === 'error') return refusal(scenario);
  const isStreamed = (body as { stream?: unknown } | undefined)?.stream === true;
  const message = messageFor(scenario);
  const isComplete = scenario.ending !== 'cut' && scenario.ending !== 'silence';
  const ending = scenario.ending === 'cut' || scenario.ending === 'silence' ? scenario.ending : 'end';
  if (!isComplete && !scenario.pieces) return { ending };
  if (!isStreamed) {
    const text = JSON.stringify(message);
    return isComplete ? { body: text } : { body: [text.slice(0, 40)], ending };
  }
  const events = eventsOf(message, (text) => piecesOf(scenario, text));
  const sent = isComplete ? events : events.slice(0, events.findLastIndex(({ delta }) => isText(delta)) + 1);
  return {
    headers: STREAM,
    body: serverSentEvents(sent.map((data) => ({ event: data['type'] as string, data }))),
    ending,
  };
}

/** Returns the answer with this message, streamed on request. */
export function answerWith(message: JsonObject, body: unknown): ServerAnswer {
  const isStreamed = (body as { stream?: unknown } | undefined)?.stream === true;
  if (!isStreamed) return { body: JSON.stringify(message) };
  const events = eventsOf(message).map((data) => ({ event: data['type'] as string, data }));
  return { headers: STREAM, body: serverSentEvents(events) };
}

const STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };

const isText = (delta: unknown): boolean => (delta as { type?: unknown } | undefined)?.type === 'text_delta';

/** Splits texts as in the scenario, and arguments into three pieces. */
function piecesOf({ thoughts = [], pieces = [] }: LlmScenario, text: string): readonly string[] {
  if (text === thoughts.join('')) return thoughts;
  if (text === pieces.join('')) return pieces;
  const third = Math.ceil(text.length / 3);
  return [0, 1, 2].map((i) => text.slice(i * third, (i + 1) * third)).filter((piece) => piece !== '');
}

function refusal({ name, error }: LlmScenario): ServerAnswer {
  const [status, type, message] = refusals[name] ?? [500, 'api_error', 'Internal server error'];
  const after = error?.retryAfterMs;
  return {
    status,
    headers: {
      'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy',
      ...(after !== undefined && { 'retry-after': String(after / 1000) }),
    },
    body: JSON.stringify(errorBody(type, message)),
  };
}

const refusals: { readonly [name: string]: readonly [number, string, string] } = {
  'error-rate-limited': [
    429,
    'rate_limit_error',
    'This request would exceed your rate limit of 30,000 input tokens per minute.',
  ],
  'error-overloaded': [529, 'overloaded_error', 'Overloaded'],
  'error-auth': [401, 'authentication_error', 'invalid x-api-key'],
  'error-bad-request': [400, 'invalid_request_error', 'messages.0.role: Input should be user or assistant'],
  'error-too-long': [400, 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'],
};
