// The cost of reading a streamed answer through the provider, compared with iterating the SDK's stream. Both read the same
// bytes from memory, without a network.
import { GoogleGenAI } from '@google/genai/web';
import { Gemini } from '@thole/provider-gemini';
import { Figures } from '../../../bench/support/figures.ts';
import { clearNursery, cpuOf, inTurns } from '../../../bench/support/measure.ts';

const [chunks, samples] = [2_000, 80];
const event = (i: number): string => {
  const candidate = {
    content: { role: 'model', parts: [{ text: `word${i} ` }] },
    index: 0,
    ...(i === chunks - 1 && { finishReason: 'STOP' }),
  };
  const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: i, totalTokenCount: 11 + i };
  return `data: ${JSON.stringify({ candidates: [candidate], usageMetadata, modelVersion: 'gemini-local', responseId: 'r' })}\r\n\r\n`;
};
const packets = Array.from({ length: chunks }, (_, i) => new TextEncoder().encode(event(i)));
const fetchFromMemory: typeof fetch = async () =>
  new Response(ReadableStream.from(packets) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>, {
    headers: { 'content-type': 'text/event-stream' },
  });

const sdk = new GoogleGenAI({ apiKey: 'local', httpOptions: { fetch: fetchFromMemory } });
const llm = new Gemini({ model: 'gemini-local', apiKey: 'local', fetch: fetchFromMemory });
const contents = [{ role: 'user' as const, parts: [{ text: 'Hello.' }] }];

async function readWithSdk(): Promise<void> {
  const config = { automaticContinuation: false };
  for await (const chunk of await sdk.models.generateContentStream({ model: 'gemini-local', contents, config }))
    void chunk;
}

async function readWithThole(): Promise<void> {
  const { signal } = new AbortController();
  let final: unknown;
  for await (const response of llm.generateContentAsync({ contents, config: {} }, { stream: true, signal }))
    final = response;
  if (!final) throw new Error('there was no answer');
}

const costs = { ours: [0], sdk: [0] };
for (let sample = -15; sample < samples; sample++) {
  if (sample === 0) for (const cost of Object.values(costs)) cost.length = 0;
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.ours.push(await cpuOf(chunks, readWithThole)),
    async () => void costs.sdk.push(await cpuOf(chunks, readWithSdk)),
  ]);
}

const figures = new Figures();
figures.compare('streamed chunk, Gemini', { samples: costs.ours }, { samples: costs.sdk, of: '@google/genai' }, 1.3);
figures.end();
