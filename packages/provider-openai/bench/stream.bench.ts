// The cost of reading a streamed answer of 2,000 chunks through the provider, compared with iterating the SDK's stream.
// Both read the same bytes from memory, without a network.
import OpenAI from 'openai';
import { Figures } from '../../../bench/support/figures.ts';
import { clearNursery, cpuOf, inTurns } from '../../../bench/support/measure.ts';
import { OpenAi } from '../src/index.ts';

const [chunks, samples] = [2_000, 60];
const frame = {
  id: 'chatcmpl-123',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-5',
  system_fingerprint: 'fp_1',
};
const delta = (content: string): object => ({
  ...frame,
  choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
  usage: null,
});
const chatEvents = [
  ...Array.from({ length: chunks }, (_, i) => delta(`word${i} `)),
  { ...frame, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] },
  { ...frame, choices: [], usage: { prompt_tokens: 9, completion_tokens: chunks, total_tokens: chunks + 9 } },
];
const item = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const text = Array.from({ length: chunks }, (_, i) => `word${i} `);
const message = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' };
const outputText = { type: 'output_text', text: text.join(''), annotations: [], logprobs: [] };
const response = { id: 'resp_1', object: 'response', model: 'gpt-5', status: 'completed', error: null };
const responsesEvents = [
  { type: 'response.created', sequence_number: 0, response: { ...response, status: 'in_progress', output: [] } },
  { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item: { ...message, content: [] } },
  ...text.map((each, i) => ({
    type: 'response.output_text.delta',
    sequence_number: i + 2,
    ...item,
    delta: each,
    logprobs: [],
  })),
  {
    type: 'response.completed',
    sequence_number: 0,
    response: { ...response, output: [{ ...message, content: [outputText] }] },
  },
];

const figures = new Figures();
await compare('chat', chatEvents, (sdk) => sdk.chat.completions.create({ model: 'gpt-5', messages: [], stream: true }));
await compare('responses', responsesEvents, (sdk) =>
  sdk.responses.create({ model: 'gpt-5', input: 'Hi', stream: true }),
);
figures.end();

/** Compares both on the same bytes. Each network packet contains one chunk. */
async function compare(
  api: 'chat' | 'responses',
  events: readonly object[],
  open: (sdk: OpenAI) => PromiseLike<AsyncIterable<unknown>>,
): Promise<void> {
  const encoder = new TextEncoder();
  const packets = events.map((event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
  const fetch = async (): Promise<Response> => {
    let next = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (next < packets.length ? controller.enqueue(packets[next++]!) : controller.close()),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const sdk = new OpenAI({ apiKey: 'sk-none', fetch, maxRetries: 0 });
  const model = new OpenAi({ model: 'gpt-5', apiKey: 'sk-none', api, fetch });
  const request = { contents: [{ role: 'user' as const, parts: [{ text: 'Hi' }] }], config: {} };
  const options = { stream: true, signal: new AbortController().signal };
  const costs = { ours: [0], sdk: [0] };
  for (let sample = -15; sample < samples; sample++) {
    if (sample === 0) for (const cost of Object.values(costs)) cost.length = 0;
    clearNursery();
    await inTurns(Math.abs(sample), [
      async () => void costs.ours.push(await cpuOf(chunks, () => drain(model.generateContentAsync(request, options)))),
      async () => void costs.sdk.push(await cpuOf(chunks, async () => drain(await open(sdk)))),
    ]);
  }
  const figure = `chunk of a stream of 2,000, provider-openai (${api})`;
  figures.compare(figure, { samples: costs.ours }, { samples: costs.sdk, of: 'SDK alone' }, 1.3);
}

async function drain(values: AsyncIterable<unknown>): Promise<void> {
  for await (const value of values) void value;
}
