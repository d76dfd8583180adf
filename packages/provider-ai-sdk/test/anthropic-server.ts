import type { JsonObject } from '@thole/core';
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';

/**
 * Starts a server with Anthropic's Messages API that plays the scenario at each call. The formats are those of Anthropic's
 * documentation (https://docs.anthropic.com/en/api/messages, "Streaming Messages", "Errors" and "Extended thinking").
 */
export function startAnthropicServer(scenario: LlmScenario): Promise<ProtocolServer> {
  return ProtocolServer.start(({ body }) => answerAsAnthropic(scenario, body));
}

/** Returns the API's answer to this body, streamed on request. */
export function answerAsAnthropic(scenario: LlmScenario, body: unknown): ServerAnswer {
  if (scenario.ending === 'error') return refusal(scenario);
  const isStreamed = (body as { stream?: unknown }).stream === true;
  const endsEarly = scenario.ending === 'cut' || scenario.ending === 'silence';
  if (!isStreamed) {
    const text = JSON.stringify({ ...messageOf(scenario), content: blocksOf(scenario) });
    if (!endsEarly) return { body: text };
    return { ...(scenario.pieces && { body: [text.slice(0, 40)] }), ending: endingOf(scenario) };
  }
  if (endsEarly && !scenario.pieces) return { ending: endingOf(scenario) };
  const events = eventsOf(scenario);
  const sent = endsEarly ? events.slice(0, -3) : events;
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: serverSentEvents(sent.map((data) => ({ event: data['type'] as string, data }))),
    ending: endingOf(scenario),
  };
}

const endingOf = ({ ending }: LlmScenario): 'end' | 'cut' | 'silence' =>
  ending === 'cut' || ending === 'silence' ? ending : 'end';

const SIGNATURE = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds';

function blocksOf({ thoughts, pieces, calls = [], encryptedReasoning }: LlmScenario): JsonObject[] {
  return [
    ...(thoughts
      ? [{ type: 'thinking', thinking: thoughts.join(''), signature: encryptedReasoning ?? SIGNATURE }]
      : []),
    ...(pieces ? [{ type: 'text', text: pieces.join('') }] : []),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ];
}

function messageOf(scenario: LlmScenario): JsonObject {
  return {
    id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content: [],
    stop_reason: stopReason(scenario),
    stop_sequence: null,
    usage: usageOf(scenario),
  };
}

function stopReason({ ending, calls }: LlmScenario): string {
  if (ending === 'max-tokens') return 'max_tokens';
  if (ending === 'blocked') return 'refusal';
  return calls ? 'tool_use' : 'end_turn';
}

/** Returns the usage of the scenario. Input tokens do not include those of the cache; output tokens include thoughts. */
function usageOf({ usage: counts }: LlmScenario): JsonObject {
  if (!counts) return { input_tokens: 19, output_tokens: 30 };
  return {
    input_tokens: counts.promptTokenCount - counts.cachedContentTokenCount,
    cache_read_input_tokens: counts.cachedContentTokenCount,
    cache_creation_input_tokens: 0,
    output_tokens: counts.candidatesTokenCount + counts.thoughtsTokenCount,
    output_tokens_details: { thinking_tokens: counts.thoughtsTokenCount },
  };
}

function eventsOf(scenario: LlmScenario): JsonObject[] {
  const blocks = blocksOf(scenario);
  const { output_tokens, output_tokens_details, ...input } = usageOf(scenario);
  return [
    {
      type: 'message_start',
      message: { ...messageOf(scenario), stop_reason: null, usage: { ...input, output_tokens: 1 } },
    },
    { type: 'ping' },
    ...blocks.flatMap((block, index) => blockEvents(scenario, block, index)),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(scenario), stop_sequence: null },
      usage: { output_tokens: output_tokens!, ...(output_tokens_details !== undefined && { output_tokens_details }) },
    },
    { type: 'message_stop' },
  ];
}

function blockEvents({ thoughts = [], pieces = [] }: LlmScenario, block: JsonObject, index: number): JsonObject[] {
  const wrapDeltas = (begun: JsonObject, deltas: JsonObject[]): JsonObject[] => [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  if (block['type'] === 'thinking') {
    return wrapDeltas({ type: 'thinking', thinking: '', signature: '' }, [
      ...thoughts.map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: block['signature']! },
    ]);
  }
  if (block['type'] === 'text')
    return wrapDeltas(
      { type: 'text', text: '' },
      pieces.map((text) => ({ type: 'text_delta', text })),
    );
  const args = JSON.stringify(block['input']);
  const half = args.length >> 1;
  const halves = ['', args.slice(0, half), args.slice(half)];
  return wrapDeltas(
    { ...block, input: {} },
    halves.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  );
}

const REFUSALS: { readonly [name: string]: readonly [number, string, string] } = {
  'error-rate-limited': [429, 'rate_limit_error', 'This request would exceed your rate limit.'],
  'error-overloaded': [529, 'overloaded_error', 'Overloaded'],
  'error-auth': [401, 'authentication_error', 'invalid x-api-key'],
  'error-bad-request': [400, 'invalid_request_error', 'max_tokens: Input should be greater than or equal to 1'],
  'error-too-long': [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
};

function refusal({ name, error }: LlmScenario): ServerAnswer {
  const [status, type, message] = REFUSALS[name]!;
  const after = error?.retryAfterMs;
  return {
    status,
    headers: { 'request-id': 'req_123', ...(after !== undefined && { 'retry-after': String(after / 1000) }) },
    body: JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_123' }),
  };
}
