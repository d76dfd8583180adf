import { createEvent } from '@thole/core';
import type { Event, EventInit, Part } from '@thole/core';
import { readUIMessageStream } from 'ai';
import type { UIMessageChunk } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../../../test/servers/long.ts';
import { foldChunks } from '../../src/ui/fold-chunks.ts';
import type { UiChunk } from '../../src/ui/ui-chunk.ts';
import { toUiMessages } from '../../src/ui/ui-messages.ts';
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
      { author: 'c', branch: 'root.bc' },
    ];
    const chunks = chunksOf(
      partial('e1', 'B one, ', b),
      partial('e2', 'C one, ', c),
      partial('e1', 'B two.', b),
      event('e2', [{ text: 'C one, C two.' }], c),
      event('e1', [{ text: 'B one, B two.' }], b),
    );
    expect(await textsInPage(chunks)).toEqual(['B one, B two.', 'C one, C two.']);
  });

  it('sends the answers of parallel branches at the end if the first answer is abandoned', async () => {
    const [b, c] = [
      { author: 'b', branch: 'root.b' },
      { author: 'c', branch: 'root.bc' },
    ];
    const chunks = chunksOf(partial('e1', 'B one, ', b), partial('e2', 'C ', c), event('e2', [{ text: 'C one.' }], c));
    expect(await textsInPage(chunks)).toEqual(['B one, ', 'C one.']);
    const root = event('e3', [{ text: 'Both.' }], { author: 'root' });
    const more = chunksOf(partial('e1', 'B one, ', b), event('e2', [{ text: 'C one.' }], c), root);
    expect(await textsInPage(more)).toEqual(['B one, ', 'C one.', 'Both.']);
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

describe('toUiMessages', () => {
  const joined = createEvent({ id: 'u2', author: 'user', invocationId: 'i', content: { parts: [{ text: 'And b?' }] } });

  it('adds the output of a tool to its call if a message has joined the run in between', () => {
    const messages = toUiMessages([
      createEvent({ id: 'u1', author: 'user', invocationId: 'i', content: { parts: [{ text: 'a?' }] } }),
      event('e1', [{ functionCall: { id: 'c1', name: 'f', args: {} } }]),
      joined,
      event('e2', [{ functionResponse: { id: 'c1', name: 'f', response: { ok: true } } }]),
      event('e3', [{ text: 'Both.' }]),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(['u1', 'i', 'u2', 'i:2']);
    expect(messages[1]!.parts.at(-1)).toMatchObject({ state: 'output-available', output: { ok: true } });
    expect(messages[3]!.parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Both.' }]);
  });

  it('closes a request in the answer that contains it if a message has joined the run in between', () => {
    const request = { id: 'r1', name: 'adk_request_input', args: { message: 'How many?' } };
    const messages = toUiMessages([
      event('e1', [{ functionCall: request }], { longRunningToolIds: ['r1'] }),
      joined,
      event('e2', [{ text: 'Wait.' }]),
      event('e3', [{ functionResponse: { ...request, response: { result: 3 } } }], { author: 'user' }),
    ]);
    expect(messages.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
      ['data-interrupt'],
      ['text'],
      ['step-start', 'text'],
    ]);
    expect(messages[0]!.parts[0]).toMatchObject({ data: { isOpen: false } });
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
