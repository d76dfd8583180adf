import { createEvent } from '@thole/core';
import type { Event, EventInit, Part } from '@thole/core';
import { readUIMessageStream } from 'ai';
import type { UIMessageChunk } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../../../test/servers/long.ts';
import { foldChunks } from '../../src/ui/fold-chunks.ts';
import type { UiChunk } from '../../src/ui/ui-chunk.ts';
import { UiChunks } from '../../src/ui/ui-chunks.ts';

const event = (id: string, parts: Part[], more: Partial<EventInit> = {}): Event =>
  createEvent({ id, author: 'a', invocationId: 'i', content: { role: 'model', parts }, ...more });
const partial = (id: string, text: string, more: Partial<EventInit> = {}): Event =>
  event(id, [{ text }], { partial: true, ...more });

function chunksOf(...events: Event[]): UiChunk[] {
  const writer = new UiChunks();
  const chunks = events.flatMap((each) => writer.add(each));
  writer.end(chunks);
  return chunks;
}

/** Returns the parts that the AI SDK creates from the chunks. */
async function partsInPage(chunks: readonly UiChunk[]): Promise<unknown> {
  const stream = ReadableStream.from(chunks as UIMessageChunk[]);
  let parts: unknown = [];
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) parts = message.parts;
  return JSON.parse(JSON.stringify(parts));
}

async function textsInPage(chunks: readonly UiChunk[]): Promise<string[]> {
  const parts = (await partsInPage(chunks)) as { type: string; text?: string }[];
  return parts.flatMap(({ text }) => text ?? []);
}

describe('UiChunks', () => {
  it('sends the text that a stored event adds to its partial events', async () => {
    const chunks = chunksOf(partial('e', 'Good '), event('e', [{ text: 'Good evening.' }]));
    expect(await textsInPage(chunks)).toEqual(['Good evening.']);
  });

  it('replaces the streamed text if the stored event differs', async () => {
    const chunks = chunksOf(partial('e', 'My card is 4111'), event('e', [{ text: 'My card is [removed]' }]));
    expect(await textsInPage(chunks)).toEqual(['My card is [removed]']);
  });

  it('removes the beginning of an answer that the model has restarted', async () => {
    const chunks = chunksOf(
      partial('e1', 'Good mor'),
      partial('e2', 'Good '),
      event('e2', [{ text: 'Good evening.' }]),
    );
    expect(await textsInPage(chunks)).toEqual(['Good evening.']);
  });

  it('keeps the texts of parallel branches apart', async () => {
    const [b, c] = [
      { author: 'b', branch: 'root.b' },
      { author: 'c', branch: 'root.c' },
    ];
    const chunks = chunksOf(
      partial('e1', 'B one, ', b),
      partial('e2', 'C one, ', c),
      partial('e1', 'B two.', b),
      event('e2', [{ text: 'C one, C two.' }], c),
      event('e1', [{ text: 'B one, B two.' }], b),
    );
    const texts = await textsInPage(chunks);
    expect(texts.filter((text) => text.includes('B')).join('')).toBe('B one, B two.');
    expect(texts.filter((text) => text.includes('C')).join('')).toBe('C one, C two.');
  });

  it('sends arguments that are not JSON as an error of the call', async () => {
    const functionCall = { id: 'c1', name: 'f', args: {}, brokenArgs: '{"city": ' };
    const response = { functionResponse: { id: 'c1', name: 'f', response: { error: 'Not JSON.' } } };
    const parts = await partsInPage(chunksOf(event('e', [{ functionCall }]), event('f', [response])));
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { toolName: 'f', state: 'output-error', input: '{"city": ', errorText: 'Not JSON.' },
    ]);
  });

  it('sends a call before its result if the reader has missed the call', async () => {
    const functionResponse = { id: 'c1', name: 'f', response: { done: true } };
    const parts = await partsInPage(chunksOf(event('e', [{ functionResponse }])));
    expect(parts).toMatchObject([{ toolName: 'f', state: 'output-available', output: { done: true } }]);
  });

  it('sends files of tools and the versions of artifacts', async () => {
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
    const functionResponse = { id: 'c1', name: 'draw', response: { ok: true }, parts: [{ inlineData }] };
    const call = { functionCall: { id: 'c1', name: 'draw', args: {} } };
    const chunks = chunksOf(
      event('e', [call]),
      event('f', [{ functionResponse }], { actions: { artifactDelta: { 'dot.png': 2 } } }),
    );
    expect(await partsInPage(chunks)).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', output: { ok: true } },
      { type: 'file', mediaType: 'image/png' },
      { type: 'data-artifact', data: { filename: 'dot.png', version: 2 } },
    ]);
  });
});

/** Removes empty steps at the end, which the AI SDK does not show. */
function withoutLastSteps(parts: unknown): unknown[] {
  const plain = JSON.parse(JSON.stringify(parts)) as { type: string }[];
  return plain.slice(0, plain.findLastIndex(({ type }) => type !== 'step-start') + 1);
}

describe('foldChunks', () => {
  const text = fc.string({ minLength: 1, maxLength: 8 });
  const part = fc.oneof(
    text.map((each): Part => ({ text: each })),
    text.map((each): Part => ({ text: each, thought: true })),
    fc.constantFrom<Part>(
      { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } },
      { functionCall: { id: 'c2', name: 'g', args: {}, brokenArgs: '{' } },
      { functionResponse: { id: 'c1', name: 'f', response: { ok: true } } },
      { functionResponse: { id: 'c1', name: 'f', response: { ok: 1 }, willContinue: true } },
      { functionResponse: { id: 'c2', name: 'g', response: { error: 'No.' } } },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { executableCode: { code: '1' } },
      { codeExecutionResult: { output: '1' } },
    ),
  );
  const anyEvent = fc
    .tuple(fc.constantFrom('e1', 'e2', 'e3'), fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([id, parts, isPartial]) =>
      isPartial ? partial(id, parts.map((each) => each.text ?? '-').join('')) : event(id, parts, { author: id }),
    );

  it('returns the parts that the AI SDK creates from the same chunks, for any events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 8 }), async (events) => {
        const chunks = chunksOf(...events);
        expect(withoutLastSteps(foldChunks(chunks))).toEqual(withoutLastSteps(await partsInPage(chunks)));
      }),
      { numRuns: randomCases(40, 200) },
    );
  });
});
