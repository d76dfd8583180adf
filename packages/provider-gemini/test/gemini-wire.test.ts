import { inspect } from 'node:util';
import type { JsonObject } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { bytesOf, ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { describe, expect, it } from 'vitest';
import { Gemini } from '../src/index.ts';
import { blockedPrompt, callInPieces, callInPiecesArgs, plainText, signatureInLastChunk } from './fixtures/answers.ts';
import { ask, collect, question, streamed, whole, withServer } from './local-gemini.ts';

describe('requests of Gemini', () => {
  it('are sent by POST to the method of the model, with the key only in a header', async () => {
    const once = await ask(whole(plainText));
    const stream = await ask(streamed([plainText]), { stream: true });
    expect(once.requests[0]).toMatchObject({ method: 'POST', path: '/v1beta/models/gemini-2.5-flash:generateContent' });
    expect(stream.requests[0]?.path).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
    for (const { headers, path, body } of [once.requests[0]!, stream.requests[0]!]) {
      expect(headers['x-goog-api-key']).toBe('a-local-key');
      expect(headers['content-type']).toBe('application/json');
      expect(path + JSON.stringify(body)).not.toContain('a-local-key');
      expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Is there a room?' }] }] });
    }
  });

  it('have no lone surrogates, which texts that were cut within a character contain', async () => {
    const request = question({ contents: [{ role: 'user', parts: [{ text: 'cut \ud83d' }] }] });
    const { requests } = await ask(whole(plainText), { request });
    expect(requests[0]!.body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'cut \ufffd' }] }] });
  });

  it('have the headers and the API version of the options', async () => {
    const options = { headers: { 'x-team': 'concierge' }, apiVersion: 'v1' };
    const { requests } = await ask(whole(plainText), { options });
    expect(requests[0]?.headers['x-team']).toBe('concierge');
    expect(requests[0]?.path).toBe('/v1/models/gemini-2.5-flash:generateContent');
  });

  it.each([
    [false, '/google/v1beta/models/gemini-2.5-flash:generateContent?team=hotel&n=1'],
    [true, '/google/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&team=hotel&n=1'],
  ])('have the query of baseUrl (streamed: %s)', async (stream, path) => {
    await withServer(
      () => (stream ? streamed([plainText]) : whole(plainText)),
      async (server) => {
        const baseUrl = `${server.url}/google/?team=hotel&n=1`;
        const llm = new Gemini({ model: 'gemini-2.5-flash', apiKey: 'a-local-key', baseUrl, retry: false });
        await collect(llm, question(), stream);
        expect(server.requests[0]!.path).toBe(path);
      },
    );
  });

  it('are sent to Vertex AI with an express-mode key, or with project and location', async () => {
    const express = await ask(whole(plainText), { options: { vertexai: true } });
    expect(express.requests[0]?.path).toBe('/v1beta1/publishers/google/models/gemini-2.5-flash:generateContent');
    const options = { vertexai: true, project: 'hotel', location: 'europe-west1' };
    const { requests, error } = await ask(streamed([plainText]), { options, stream: true });
    expect(error).toBeUndefined();
    expect(requests[0]?.path).toBe(
      '/v1beta1/projects/hotel/locations/europe-west1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    );
    expect(requests[0]?.headers['x-goog-api-key']).toBe('a-local-key');
  });

  it.each([false, true])(
    'keep members that the SDK does not know, in both directions (Vertex AI: %s)',
    async (vertexai) => {
      const parts = [{ text: 'So.', thoughtSignature: 'c2ln', mood: 'glad' }, { toolCall: { id: 't' } }];
      const candidate = {
        content: { role: 'model', parts, x: 1 },
        finishReason: 'STOP',
        finishMessage: 'done',
        newMember: [1],
      };
      const answer = { candidates: [candidate], otherNewMember: true, promptFeedback: { safetyRatings: [] } };
      for (const stream of [false, true]) {
        const answers = [stream ? streamed([answer]) : whole(answer), whole(plainText)];
        await withServer(
          () => answers.shift()!,
          async (server) => {
            const llm = new Gemini({
              model: 'gemini-2.5-flash',
              apiKey: 'a-local-key',
              baseUrl: server.url,
              retry: false,
              vertexai,
            });
            const first = await collect(llm, question(), stream);
            const final = first.responses.at(-1)!;
            expect(final.customMetadata).toEqual({
              gemini: {
                otherNewMember: true,
                promptFeedback: { safetyRatings: [] },
                candidate: { content: { x: 1 }, newMember: [1], finishMessage: 'done' },
              },
            });
            const contents = [
              ...question().contents,
              final.content!,
              { role: 'user' as const, parts: [{ text: 'And?' }] },
            ];
            await collect(llm, question({ contents }), false);
            expect((server.requests[1]!.body as JsonObject)['contents']).toMatchObject([
              {},
              { role: 'model', parts },
              {},
            ]);
          },
        );
      }
    },
  );
});

describe('answers of Gemini', () => {
  it('are equal with and without streaming', async () => {
    const streamedAnswer = await ask(streamed([plainText]), { stream: true });
    const once = await ask(whole(plainText));
    expect(streamedAnswer.responses.at(-1)).toEqual(once.responses[0]);
    expect(once.responses).toHaveLength(1);
  });

  it.each([1, 3, 7])('are equal in packets of %i bytes', async (size) => {
    const pieces = ['部屋 🏨 ', 'is “free”.\n'].map((text, i) => ({
      candidates: [{ content: { parts: [{ text }] }, ...(i === 1 && { finishReason: 'STOP' }) }],
    }));
    const answer = streamed(pieces);
    const body = bytesOf((answer.body as string[]).join(':\r\n\r\n'), size);
    const { responses } = await ask({ ...answer, body }, { stream: true });
    expect(responses.map(({ content }) => content?.parts?.[0]?.text)).toEqual([
      '部屋 🏨 ',
      'is “free”.\n',
      '部屋 🏨 is “free”.\n',
    ]);
  });

  it('keep signatures and calls that were streamed in pieces', async () => {
    const signed = await ask(streamed(signatureInLastChunk), { stream: true });
    expect(signed.responses.at(-1)?.content?.parts?.at(-1)).toMatchObject({
      thoughtSignature: 'AY89a18iOcFus5wr5bW5xN6z/dwZ5oZ+Hemi',
    });
    const called = await ask(streamed(callInPieces), { stream: true, options: { vertexai: true } });
    expect(called.responses).toHaveLength(1);
    expect(called.responses[0]?.content?.parts?.[0]?.functionCall?.args).toEqual(callInPiecesArgs);
  });

  it.each([false, true])('are final responses with the reason for a blocked prompt, streamed: %s', async (stream) => {
    const { responses } = await ask(stream ? streamed([blockedPrompt]) : whole(blockedPrompt), { stream });
    expect(responses).toHaveLength(1);
    expect(responses[0]).toMatchObject({ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' });
  });

  it.each([false, true])(
    'are requested in further calls until they are complete, and are one response; streamed: %s',
    async (stream) => {
      const pieces = ['The har', 'bour ', 'hotel.'].map((text, i) => ({
        candidates: [
          {
            content: { parts: [{ text }] },
            finishReason: i < 2 ? 'CONTINUATION' : 'STOP',
            ...(i < 2 && { continuationToken: `t${i}` }),
          },
        ],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: i + 1, totalTokenCount: 11 + i },
      }));
      const answers = pieces.map((piece) => (stream ? streamed([piece]) : whole(piece)));
      const { responses, requests } = await ask(answers, { stream });
      expect(responses).toHaveLength(stream ? 4 : 1);
      expect(responses.at(-1)).toMatchObject({
        content: { parts: [{ text: 'The harbour hotel.' }] },
        finishReason: 'STOP',
        usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 6, totalTokenCount: 36 },
      });
      expect(requests.map(({ body }) => (body as JsonObject)['continuationToken'])).toEqual([undefined, 't0', 't1']);
    },
  );

  it('throw MODEL_INCOMPLETE if the announced rest never arrives', async () => {
    const repeated = { candidates: [{ finishReason: 'CONTINUATION', continuationToken: 'same' }] };
    const { error, requests } = await ask(whole(repeated));
    expect(error).toMatchObject({ code: 'MODEL_INCOMPLETE' });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['an HTML page', { headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' }],
    ['nothing', { body: '' }],
  ])('are rejected if they are %s, with status 200', async (_, answer) => {
    for (const stream of [false, true]) {
      const { error } = await ask(answer, { stream });
      expect(error).toMatchObject({ code: 'MODEL_PROTOCOL', retryable: false });
    }
  });
});

describe('errors of Gemini', () => {
  const tooMany = {
    status: 429,
    body: JSON.stringify({
      error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '2s' }] },
    }),
  };

  it.each([false, true])('keep the status of a 500 with an empty body, streamed: %s', async (stream) => {
    const { error } = await ask({ status: 500, body: '' }, { stream });
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', status: 500, retryable: true });
  });

  it.each([false, true])('never contain the key, streamed: %s (contract 42)', async (stream) => {
    const body = JSON.stringify({
      error: { code: 400, message: 'Key a-local-key is odd.', details: [{ reason: 'a-local-key' }] },
    });
    const { error } = await ask({ status: 400, body }, { stream });
    expect(error).toMatchObject({ message: 'Gemini refused the request: Key [redacted] is odd.' });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('a-local-key');
    const unreachable = await collect(
      new Gemini({ model: 'gemini-1', apiKey: 'a-local-key', baseUrl: 'http://127.0.0.1:1', retry: false }),
      question(),
      stream,
    );
    expect(unreachable.error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
    expect(inspect(unreachable.error, { depth: 10, showHidden: true })).not.toContain('a-local-key');
  });

  it('are retried after the delay that Gemini sends, without retries of the SDK', async () => {
    const runtime = new FixedRuntime();
    const answers: ServerAnswer[] = [tooMany, tooMany, whole(plainText)];
    await withServer(
      () => answers.shift()!,
      async (server) => {
        const llm = new Gemini({ model: 'gemini-2.5-flash', apiKey: 'a-local-key', baseUrl: server.url, runtime });
        const result = collect(llm, question(), false);
        for (let i = 0; i < 400 && server.requests.length < 3; i++) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          await runtime.advance(100);
        }
        expect((await result).responses).toHaveLength(1);
        expect(server.requests).toHaveLength(3);
        expect(runtime.monotonic()).toBeGreaterThan(4000);
      },
    );
  });

  it('are thrown at once after the first byte, for every kind of error (contract 22)', async () => {
    const partial = { candidates: [{ content: { parts: [{ text: 'The har' }] } }] };
    const error = { error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } };
    const {
      responses,
      error: thrown,
      requests,
    } = await ask(streamed([partial, error]), { stream: true, options: { retry: { maxAttempts: 5 } } });
    expect(responses).toHaveLength(1);
    expect(thrown).toMatchObject({ code: 'MODEL_OVERLOADED', retryable: true });
    expect(requests).toHaveLength(1);
  });

  it.each([false, true])('never cause a second call if the answer ends early, streamed: %s', async (stream) => {
    const cut: ServerAnswer = stream
      ? { ...streamed([{ candidates: [{ content: { parts: [{ text: 'The har' }] } }] }]), ending: 'cut' }
      : { body: ['{"candidates": [{"content": '], ending: 'cut' };
    const { responses, error, requests } = await ask(cut, { stream, options: { retry: { maxAttempts: 5 } } });
    expect(responses).toHaveLength(stream ? 1 : 0);
    expect(error).toMatchObject({ code: 'MODEL_INCOMPLETE', retryable: true });
    expect(requests).toHaveLength(1);
  });

  it('are thrown after a time limit, before and during the answer', async () => {
    const first = serverSentEvents([JSON.stringify({ candidates: [{ content: { parts: [{ text: 'The har' }] } }] })]);
    const silences: [ServerAnswer, number][] = [
      [{ ending: 'silence' }, 0],
      [{ headers: { 'content-type': 'text/event-stream' }, body: first, ending: 'silence' }, 1],
    ];
    for (const [answer, partials] of silences) {
      const { responses, error } = await ask(answer, { stream: true, options: { timeoutMs: 150, idleTimeoutMs: 150 } });
      expect(responses).toHaveLength(partials);
      expect(error).toMatchObject({ code: 'MODEL_TIMEOUT', retryable: true });
    }
  });

  it('are not thrown to a reader that stops early, and its connection closes (contract 23)', async () => {
    const body = serverSentEvents([JSON.stringify({ candidates: [{ content: { parts: [{ text: 'The har' }] } }] })]);
    const server = await ProtocolServer.start(() => ({
      headers: { 'content-type': 'text/event-stream' },
      body,
      ending: 'silence',
    }));
    try {
      const llm = new Gemini({ model: 'gemini-2.5-flash', apiKey: 'a-local-key', baseUrl: server.url });
      const { signal } = new AbortController();
      for await (const _ of llm.generateContentAsync(question(), { stream: true, signal })) break;
      await server.allEnded(1000);
    } finally {
      await server.close();
    }
  });
});
