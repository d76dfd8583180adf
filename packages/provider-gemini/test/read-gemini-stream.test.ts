import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';
import { bytesOf, serverSentEvents } from '@thole/testing/http';
import { describe, expect, it } from 'vitest';
import { responseTo } from './response-to.ts';
import { AnswerBuilder } from '../src/answer-builder.ts';
import { readGeminiStream } from '../src/read-gemini-stream.ts';
import {
  blockedPrompt,
  callInPieces,
  callInPiecesArgs,
  codeRun,
  grounded,
  parallelCalls,
  plainText,
  signatureInLastChunk,
} from './fixtures/answers.ts';

describe('readGeminiStream', () => {
  it('streams new text only and keeps the signature of the last chunk in a separate part', async () => {
    const { partials, final } = await read(signatureInLastChunk);
    expect(partials).toEqual([
      { content: { role: 'model', parts: [{ text: 'The pool ' }] }, partial: true },
      { content: { role: 'model', parts: [{ text: 'is on the roof.' }] }, partial: true },
    ]);
    expect(final).toMatchObject({
      content: {
        role: 'model',
        parts: [
          { text: 'The pool is on the roof.' },
          { text: '', thoughtSignature: 'AY89a18iOcFus5wr5bW5xN6z/dwZ5oZ+Hemi', partMetadata: { provider: 'gemini' } },
        ],
      },
      finishReason: 'STOP',
      modelVersion: 'gemini-3-flash-preview',
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
    });
  });

  it('joins the pieces of a call by their paths', async () => {
    const { partials, final } = await read(callInPieces);
    expect(partials).toEqual([]);
    expect(final.content?.parts).toEqual([
      {
        functionCall: { name: 'book_room', args: callInPiecesArgs },
        thoughtSignature: 'AVSoXO4vZ2JhZmZl',
        partMetadata: { provider: 'gemini' },
      },
      { functionCall: { name: 'list_guests', args: {} } },
    ]);
  });

  it('returns brokenArgs for a call whose last pieces are missing', async () => {
    const end = { candidates: [{ finishReason: 'MAX_TOKENS' }] };
    const { final } = await read([...callInPieces.slice(0, 2), end]);
    const call = final.content?.parts?.[0]?.functionCall;
    expect(call).toMatchObject({ name: 'book_room', args: {} });
    expect(call?.brokenArgs).toContain('$.guest.name');
  });

  it('starts a call at each new name and continues the call with the same id', async () => {
    const piece = (functionCall: object): object => ({ candidates: [{ content: { parts: [{ functionCall }] } }] });
    const { final } = await read([
      piece({ name: 'a', id: '1', willContinue: true }),
      piece({ name: 'a', id: '1', partialArgs: [{ jsonPath: '$.x', numberValue: 1 }] }),
      piece({ name: 'a', id: '2', args: {} }),
      piece({ name: 'b', willContinue: true }),
      piece({ name: 'c', args: { y: 2 } }),
      { candidates: [{ finishReason: 'STOP' }] },
    ]);
    expect(final.content?.parts?.map(({ functionCall }) => functionCall)).toEqual([
      { id: '1', name: 'a', args: { x: 1 } },
      { id: '2', name: 'a', args: {} },
      { name: 'b', args: {}, brokenArgs: '{}' },
      { name: 'c', args: { y: 2 } },
    ]);
  });

  it('returns a final response with the reason for a blocked prompt', async () => {
    const { partials, final } = await read([blockedPrompt]);
    expect(partials).toEqual([]);
    expect(final).toMatchObject({ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' });
  });

  it.each([
    ['text', plainText],
    ['calls', parallelCalls],
    ['grounding', grounded],
    ['code', codeRun],
    ['a block', blockedPrompt],
  ])('returns the same response for %s as without streaming', async (_, answer) => {
    const { final } = await read(splitAnswer(answer));
    expect(final).toEqual(responseTo(answer));
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
  ] as const)('reads lines that end in %s, split at any byte, and ignores keep-alives', async (_, newline) => {
    const pieces = [
      { candidates: [{ content: { parts: [{ text: '部屋 🏨 ' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'frei "é"\n' }] }, finishReason: 'STOP' }] },
    ];
    const events = serverSentEvents(
      pieces.map((piece) => JSON.stringify(piece)),
      newline,
    );
    const text = [
      `: hello${newline}${newline}`,
      events[0]!,
      `:${newline}${newline}`,
      events[1]!,
      `data: [DONE]${newline}${newline}`,
    ].join('');
    for (const size of [1, 3, 7, 100_000]) {
      const { partials, final } = await readBytes(bytesOf(text, size));
      expect(partials.map(({ content }) => content?.parts?.[0]?.text)).toEqual(['部屋 🏨 ', 'frei "é"\n']);
      expect(final.content?.parts).toEqual([{ text: '部屋 🏨 frei "é"\n' }]);
    }
  });

  it('joins the log probabilities of all chunks', async () => {
    const piece = (token: string, more: object = {}): object => ({
      candidates: [{ logprobsResult: { chosenCandidates: [{ token, logProbability: -1 }] }, ...more }],
    });
    const { final } = await read([piece('a'), piece('b', { finishReason: 'STOP' })]);
    expect(final.customMetadata).toMatchObject({
      gemini: { candidate: { logprobsResult: { chosenCandidates: [{ token: 'a' }, { token: 'b' }] } } },
    });
  });

  it('returns the final response if the connection breaks after the finish reason', async () => {
    const { final } = await readBroken({ ...nine, finishReason: 'STOP' }, new TypeError('terminated'));
    expect(final).toMatchObject({ content: { parts: [{ text: 'Nine.' }] }, finishReason: 'STOP' });
    await expect(readBroken(nine, new TypeError('terminated'))).rejects.toThrow('terminated');
  });

  it('returns the final response if the connection stays open and silent after the finish reason', async () => {
    const silence = new TholeError('MODEL_TIMEOUT', 'The server sent nothing.');
    const { final } = await readBroken({ ...nine, finishReason: 'STOP' }, silence);
    expect(final).toMatchObject({ content: { parts: [{ text: 'Nine.' }] }, finishReason: 'STOP' });
    await expect(readBroken(nine, silence)).rejects.toBe(silence);
  });

  it('throws MODEL_INCOMPLETE for an end without a finish reason', async () => {
    const piece = { candidates: [{ content: { parts: [{ text: 'The har' }] } }] };
    await expect(read([piece])).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE', retryable: true });
    await expect(read([])).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
    const cutOff = JSON.stringify(plainText).slice(0, 40);
    await expect(readBytes(bytesOf(`data: ${cutOff}`, 9))).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
  });

  it('reads the last event if no empty line follows it', async () => {
    const { final } = await readBytes(bytesOf(`data: ${JSON.stringify(plainText)}`, 50));
    expect(final.finishReason).toBe('STOP');
  });

  it('throws an error in a stream', async () => {
    const piece = { candidates: [{ content: { parts: [{ text: 'The har' }] } }] };
    const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };
    await expect(read([piece, error])).rejects.toMatchObject({ code: 'MODEL_OVERLOADED', status: 503 });
  });

  it('streams audio in pieces and joins them to one part', async () => {
    const audio = (bytes: number[], mimeType = 'audio/L16;rate=24000') => ({
      inlineData: { mimeType, data: btoa(String.fromCharCode(...bytes)) },
    });
    const piece = (part: object) => ({ candidates: [{ content: { parts: [part] } }] });
    const pieces = [audio([1]), audio([2, 3]), audio([4, 5, 6]), { text: 'So.' }, audio([7]), audio([8], 'audio/wav')];
    const { partials, final } = await read([...pieces.map(piece), { candidates: [{ finishReason: 'STOP' }] }]);
    expect(partials.map(({ content }) => content?.parts)).toEqual(pieces.map((each) => [each]));
    expect(final.content?.parts).toEqual([
      audio([1, 2, 3, 4, 5, 6]),
      { text: 'So.' },
      audio([7]),
      audio([8], 'audio/wav'),
    ]);
  });

  it('joins citations and probabilities of many chunks, with each citation once', async () => {
    const count = 2000;
    const pieces = Array.from({ length: count }, (_, i) => ({
      candidates: [
        {
          content: { parts: [{ text: 'a' }] },
          citationMetadata: { citations: [{ uri: `u${i % 1000}` }] },
          logprobsResult: { chosenCandidates: [{ token: `t${i}` }] },
        },
      ],
    }));
    const { final } = await read([...pieces, { candidates: [{ finishReason: 'STOP' }] }]);
    expect(final.citationMetadata?.['citations']).toHaveLength(1000);
    const rest = final.customMetadata?.['gemini'] as { candidate: { logprobsResult: { chosenCandidates: unknown[] } } };
    expect(rest.candidate.logprobsResult.chosenCandidates).toHaveLength(count);
  });

  it('reads a JSON list of chunks, and rejects an HTML page', async () => {
    const json = new Response(JSON.stringify(signatureInLastChunk), {
      headers: { 'content-type': 'application/json' },
    });
    const { partials, final } = await readAll(json);
    expect(partials).toHaveLength(2);
    expect(final.finishReason).toBe('STOP');
    const page = new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } });
    await expect(readAll(page)).rejects.toMatchObject({ code: 'MODEL_PROTOCOL', retryable: false });
  });
});

interface ReadResult {
  partials: LlmResponse[];
  final: LlmResponse;
}

async function readAll(response: Response): Promise<ReadResult> {
  const builder = new AnswerBuilder();
  const partials = await Array.fromAsync(readGeminiStream(response, builder));
  return { partials, final: builder.toResponse() };
}

function readBytes(bytes: readonly Uint8Array[] | AsyncIterable<Uint8Array>): Promise<ReadResult> {
  const body = ReadableStream.from(bytes) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
  return readAll(new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }));
}

const nine = { content: { parts: [{ text: 'Nine.' }] } };

/** Reads an answer with one piece, after which the connection fails. */
function readBroken(candidate: object, error: Error): Promise<ReadResult> {
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield* bytesOf(`data: ${JSON.stringify({ candidates: [candidate] })}\n\n`, 1000);
    throw error;
  };
  return readBytes(bytes());
}

function read(pieces: readonly unknown[]): Promise<ReadResult> {
  return readBytes(bytesOf(serverSentEvents(pieces.map((piece) => JSON.stringify(piece))).join(''), 1000));
}

/** Splits an answer into chunks: each text into two, then one chunk with the other members. */
function splitAnswer(answer: unknown): unknown[] {
  const { candidates, ...rest } = answer as { candidates?: { content: { parts: { text?: string }[] } }[] };
  if (!candidates) return [answer];
  const { content, ...candidate } = candidates[0]!;
  const parts = content.parts.flatMap((part) => {
    if (part.text === undefined) return [part];
    return [
      { ...part, text: part.text.slice(0, 3) },
      { ...part, text: part.text.slice(3) },
    ];
  });
  return [
    ...parts.map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] } }] })),
    { candidates: [{ content: { role: 'model' }, ...candidate }], ...rest },
  ];
}
