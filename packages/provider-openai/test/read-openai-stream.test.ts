import type { JsonObject, LlmResponse } from '@thole/core';
import { getFunctionCalls } from '@thole/core';
import { bytesOf, ProtocolServer, serverSentEvents } from '@thole/testing/http';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromOpenAiResponse } from '../src/from-openai-response.ts';
import { readOpenAiStream } from '../src/read-openai-stream.ts';
import {
  citedMessage,
  codeCall,
  functionCall,
  imageCall,
  message,
  reasoning,
  responseOf,
  webSearchCall,
} from './fixtures/responses-answers.ts';
import { eventsOf } from './fixtures/responses-events.ts';

const target = { model: 'gpt-5', provider: 'openai', stream: true };

async function* streamOf(events: readonly unknown[]): AsyncGenerator<unknown> {
  yield* events;
}
const read = (events: readonly unknown[]): Promise<LlmResponse[]> =>
  Array.fromAsync(readOpenAiStream(streamOf(events), target));
const finalOf = async (events: readonly unknown[]): Promise<LlmResponse> => (await read(events)).at(-1)!;
const textsOf = (responses: readonly LlmResponse[]): string[] =>
  responses.map(({ content }) =>
    (content?.parts ?? []).map(({ text, thought }) => (thought ? `(${text})` : text)).join('|'),
  );

const answers: { readonly [name: string]: JsonObject } = {
  text: responseOf([message(['The harbour hotel — 部屋 🏨 — is free.'])]),
  'thoughts, text and calls': responseOf([
    reasoning(['High floors.', 'So nine.']),
    message(['Let me look.'], { phase: 'commentary' }),
    functionCall('find_rooms', '{"city":"Oslo","floors":[8,9]}'),
    functionCall('list_guests', '{}', { id: 'fc_b', call_id: 'call_b' }),
  ]),
  'open thoughts': responseOf([
    reasoning([], { content: [{ type: 'reasoning_text', text: 'High floors.' }], encrypted_content: null }),
    message(['912']),
  ]),
  'two texts of one message': responseOf([message(['One. ', 'Two.'])]),
  'web search with sources': responseOf([reasoning([]), webSearchCall, citedMessage]),
  'code and image': responseOf([codeCall, imageCall, message(['There.'])]),
  refusal: responseOf([message([], { content: [{ type: 'refusal', refusal: 'I cannot help with that.' }] })]),
  'too few tokens': responseOf([message(['The harbour'], { status: 'incomplete' })], {
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  }),
  filtered: responseOf([], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }),
  nothing: responseOf([]),
};

describe.each(Object.entries(answers))('readOpenAiStream with %s', (_, answer) => {
  const whole = fromOpenAiResponse(answer, target);

  it('ends with one final response, equal to the response without streaming', async () => {
    const responses = await read(eventsOf(answer));
    expect(responses.at(-1)).toEqual(whole);
    expect(responses.filter(({ partial }) => !partial)).toHaveLength(1);
    expect(responses.slice(0, -1).flatMap(getFunctionCalls)).toEqual([]);
    const [partials, final] = [responses.slice(0, -1), responses.slice(-1)];
    for (const isThought of [true, false]) expect(textIn(partials, isThought)).toBe(textIn(final, isThought));
  });

  it('returns the same final response if the last event has no output', async () => {
    for (const output of [[], undefined]) {
      const events = eventsOf(answer).map((event) => {
        const ends = event['type'] === 'response.completed' || event['type'] === 'response.incomplete';
        return ends ? { ...event, response: { ...(event['response'] as JsonObject), output } } : event;
      });
      expect(await finalOf(JSON.parse(JSON.stringify(events)))).toEqual(whole);
    }
  });
});

const textIn = (responses: readonly LlmResponse[], isThought: boolean): string =>
  responses
    .flatMap(({ content }) => content?.parts ?? [])
    .map(({ text, thought }) => (text !== undefined && (thought === true) === isThought ? text : ''))
    .join('');

describe('partial responses', () => {
  it('contain only new text, and thoughts separately', async () => {
    const responses = await read(eventsOf(responseOf([reasoning(['High floors.']), message(['Room 912.'])])));
    expect(textsOf(responses)).toEqual(['(High )', '(floor)', '(s.)', 'Room ', '912.', '(High floors.)|Room 912.']);
    expect(responses[0]).toEqual({
      content: { role: 'model', parts: [{ text: 'High ', thought: true }] },
      partial: true,
    });
  });

  it('are not yielded for events without text', async () => {
    const [created, ...rest] = eventsOf(answers['nothing']!);
    const at = { type: 'response.output_text.delta', output_index: 0, item_id: 'm' };
    const unusual = [{ ...at, delta: '' }, { ...at, delta: { text: 'Hi' } }, at];
    expect(await read([created, ...unusual, ...rest])).toHaveLength(1);
  });
});

describe('fragments in readOpenAiStream', () => {
  const bare = { ...responseOf([]), output: [] };
  const completed = { type: 'response.completed', response: bare };
  const call = { type: 'function_call', name: 'find_rooms', call_id: 'call_a', id: 'fc_a', arguments: '' };

  it('of a call are joined by output index, also if the id changes between events', async () => {
    const other = { ...call, call_id: 'call_b', id: 'fc_b' };
    const args = (output_index: number, item_id: string, delta: string): JsonObject => ({
      type: 'response.function_call_arguments.delta',
      output_index,
      item_id,
      delta,
    });
    const final = await finalOf([
      { type: 'response.output_item.added', output_index: 0, item: call },
      { type: 'response.output_item.added', output_index: 1, item: other },
      args(0, 'x1', '{"city"'),
      args(1, 'x2', '{"city":"Ber'),
      args(0, 'x3', ':"Oslo"}'),
      args(1, 'x4', 'gen"}'),
      completed,
    ]);
    expect(getFunctionCalls(final)).toEqual([
      { id: 'call_a', name: 'find_rooms', args: { city: 'Oslo' } },
      { id: 'call_b', name: 'find_rooms', args: { city: 'Bergen' } },
    ]);
  });

  it('without an output index are joined by the item’s id', async () => {
    const final = await finalOf([
      { type: 'response.output_item.added', item: call },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_a', delta: '{"city":' },
      { type: 'response.function_call_arguments.done', item_id: 'fc_a', arguments: '{"city":"Oslo"}' },
      completed,
    ]);
    expect(getFunctionCalls(final)).toEqual([{ id: 'call_a', name: 'find_rooms', args: { city: 'Oslo' } }]);
  });

  it('of items that wrongly share an output index are not lost', async () => {
    const final = await finalOf([
      { type: 'response.output_item.done', output_index: 0, item: message(['Let me look.']) },
      { type: 'response.output_item.added', output_index: 0, item: call },
      { type: 'response.output_item.done', output_index: 0, item: { ...call, arguments: '{}' } },
      completed,
    ]);
    expect(final.content?.parts).toHaveLength(2);
    expect(getFunctionCalls(final)).toHaveLength(1);
    const other = { ...call, call_id: 'call_b', id: 'fc_b' };
    for (const type of ['response.output_item.added', 'response.output_item.done']) {
      const both = [call, other].map((item) => ({ type, output_index: 0, item: { ...item, arguments: '{}' } }));
      expect(getFunctionCalls(await finalOf([...both, completed])).map(({ id }) => id)).toEqual(['call_a', 'call_b']);
    }
  });

  it('form the answer if no event begins or ends an item', async () => {
    const final = await finalOf([
      { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'High.' },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Room ' },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: '912.' },
      completed,
    ]);
    expect(textsOf([final])).toEqual(['(High.)|Room 912.']);
  });

  it('are sorted by output order and separated by their index in an item', async () => {
    const words = (output_index: number, content_index: number, delta: string): JsonObject => ({
      type: 'response.output_text.delta',
      output_index,
      content_index,
      delta,
    });
    const final = await finalOf([words(1, 0, 'Two. '), words(1, 1, 'Three.'), words(0, 0, 'One.'), completed]);
    expect(textsOf([final])).toEqual(['One.|Two. |Three.']);
  });

  it('of encrypted reasoning are read from the event that ends the item', async () => {
    const answer = responseOf([reasoning(['High.']), message(['912'])]);
    const final = await finalOf([...eventsOf(answer).slice(0, -1), completed]);
    expect(final.content!.parts![0]!.partMetadata!['item']).toMatchObject({
      encrypted_content: 'gAAAAABqX1a78BDqkJ4uGoxtDucvs8h',
    });
  });
});

describe('events in readOpenAiStream', () => {
  it('are ignored if they are unknown or arrive before the answer', async () => {
    const unknown = [
      { type: 'keepalive', sequence_number: 0 },
      { type: 'response.telepathy.delta', delta: 'mmh', output_index: 0 },
      { type: 'constructor', delta: 'x' },
      { object: 'chat.completion.chunk' },
      { type: 'response.output_item.added', output_index: 0, item: null },
      null,
      'ping',
    ];
    const events = eventsOf(answers['text']!).flatMap((event) => [...unknown, event]);
    expect(await finalOf(events)).toEqual(fromOpenAiResponse(answers['text'], target));
  });

  it('of type response.completed complete the answer, whatever status it contains', async () => {
    const answer = { ...answers['text']!, status: 'in_progress' };
    expect(await finalOf([{ type: 'response.completed', response: answer }])).toMatchObject({ finishReason: 'STOP' });
  });

  it('after the final event are not awaited', async () => {
    let isClosed = false;
    async function* hanging(): AsyncGenerator<unknown> {
      try {
        yield* eventsOf(answers['text']!);
        await new Promise(() => undefined);
      } finally {
        isClosed = true;
      }
    }
    const responses = await Array.fromAsync(readOpenAiStream(hanging(), target));
    expect(responses.at(-1)!.finishReason).toBe('STOP');
    expect(isClosed).toBe(true);
  });
});

describe('readOpenAiStream with a failed stream', () => {
  const begun = eventsOf(answers['text']!).slice(0, -3);

  it('throws MODEL_INCOMPLETE after the partial responses if the last event is missing', async () => {
    const received: LlmResponse[] = [];
    const reading = (async () => {
      for await (const response of readOpenAiStream(streamOf(begun), target)) received.push(response);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE', retryable: true });
    expect(received.length).toBeGreaterThan(1);
    expect(received.every(({ partial }) => partial)).toBe(true);
    await expect(read([])).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
  });

  it('throws the mapped error for response.failed and for error events', async () => {
    const error = { code: 'server_error', message: 'The model failed to answer.' };
    const failed = responseOf([], { status: 'failed', error });
    for (const last of [
      { type: 'response.failed', response: failed },
      { type: 'error', ...error, param: null, sequence_number: 9 },
      { type: 'error', error },
    ]) {
      await expect(read([...begun, last])).rejects.toMatchObject({
        code: 'MODEL_UNAVAILABLE',
        message: expect.stringContaining('The model failed to answer.'),
      });
    }
  });

  it('returns a blocked final response with the earlier text if a policy stopped it', async () => {
    const error = { code: 'invalid_prompt', message: 'Your prompt was flagged.' };
    const failed = { type: 'response.failed', response: { status: 'failed', error } };
    for (const last of [failed, { type: 'error', ...error }, { type: 'error', error }]) {
      const final = await finalOf([...begun, last]);
      expect(final).toMatchObject({ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED', errorMessage: error.message });
      expect(textsOf([final])).toEqual(['The harbour hotel — 部屋 🏨 — is free.']);
    }
  });
});

describe('readOpenAiStream through the SDK', () => {
  const answer = answers['thoughts, text and calls']!;
  const long = { ...answer, output: [...(answer['output'] as JsonObject[]), message(['部屋 🏨 is free.\n'])] };
  const named = eventsOf(long).map((data) => ({ event: data['type'] as string, data }));
  const comments = (texts: readonly string[]): string => texts.map((text) => `: keep-alive\n\n${text}`).join('');

  async function readThroughSdk(body: readonly (string | Uint8Array)[]): Promise<LlmResponse[]> {
    const headers = { 'content-type': 'text/event-stream' };
    const server = await ProtocolServer.start(() => ({ headers, body }));
    onTestFinished(() => server.close());
    const client = new OpenAI({ apiKey: 'local', baseURL: `${server.url}/v1`, maxRetries: 0 });
    const events = await client.responses.create({ model: 'gpt-5', input: 'Hi', stream: true });
    return Array.fromAsync(readOpenAiStream(events, target));
  }

  it.each<[string, string[] | Uint8Array[]]>([
    ['whole events, LF', serverSentEvents(named)],
    ['whole events, CRLF', serverSentEvents(named, '\r\n')],
    ['keep-alives between events and [DONE] at the end', [comments([...serverSentEvents(named), 'data: [DONE]\n\n'])]],
    ['seven bytes at a time', bytesOf(serverSentEvents(named).join(''), 7)],
    ['three bytes at a time, CRLF', bytesOf(serverSentEvents(named, '\r\n').join(''), 3)],
    ['byte by byte', bytesOf(serverSentEvents(named.slice(-1)).join(''), 1)],
  ])('returns the same final response for any packets: %s', async (_, body) => {
    expect((await readThroughSdk(body)).at(-1)).toEqual(fromOpenAiResponse(long, target));
  });

  it('returns a blocked final response if the SDK throws the event of a policy', async () => {
    const event = {
      type: 'error',
      code: 'bio_policy',
      message: 'Blocked for safety.',
      param: null,
      sequence_number: 3,
    };
    const responses = await readThroughSdk(serverSentEvents([...named.slice(0, 8), { event: 'error', data: event }]));
    expect(responses.at(-1)).toMatchObject({ errorCode: 'MODEL_BLOCKED', errorMessage: 'Blocked for safety.' });
    expect(textsOf(responses.slice(-1))).toEqual(['(High floors.)']);
  });

  it('throws other errors of the SDK unchanged', async () => {
    const event = { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.' };
    await expect(readThroughSdk(serverSentEvents([{ event: 'error', data: event }]))).rejects.toMatchObject({
      error: event,
    });
  });
});
