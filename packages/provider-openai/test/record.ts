// Records answers of OpenAI: `OPENAI_API_KEY=… pnpm record openai [words …]` makes some small calls of both APIs. With words, it makes
// only the calls whose names contain one of them. It writes status, headers without secrets and the chunks of each body to
// `test/fixtures/recorded/<name>.json`, or to `RECORD_FOLDER`. `OPENAI_BASE_URL` is the server, `RECORD_MODEL` the model.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LlmRequest } from '@thole/core';
import { OpenAi, OpenAiEmbedder } from '../src/index.ts';

const folder = process.env['RECORD_FOLDER'] ?? join(import.meta.dirname, 'fixtures', 'recorded');
const nameParts = process.argv.slice(2);
const model = process.env['RECORD_MODEL'] ?? 'gpt-5-mini';
const cityOnly = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const RECORDED_HEADERS = ['content-type', 'retry-after', 'openai-version', 'transfer-encoding'];

if (process.env['OPENAI_API_KEY']) await recordAll();
else {
  console.error('Nothing was recorded: set OPENAI_API_KEY.');
  process.exitCode = 1;
}

async function recordAll(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const textRequest: LlmRequest = {
    contents: [{ role: 'user', parts: [{ text: 'Say hello in five words.' }] }],
    config: {},
  };
  const find = { name: 'find_rooms', description: 'Finds rooms.', parametersJsonSchema: cityOnly };
  const callRequest: LlmRequest = {
    contents: [{ role: 'user', parts: [{ text: 'Is there a room in Oslo, and one in Rome? Look both up at once.' }] }],
    config: {
      tools: [{ functionDeclarations: [find] }],
      thinkingConfig: { thinkingLevel: 'low', includeThoughts: true },
    },
  };
  for (const api of ['responses', 'chat'] as const) {
    for (const stream of [false, true]) {
      const mode = stream ? 'stream' : 'whole';
      await record(`${api}-text-${mode}`, (fetch) =>
        callModel(OpenAi.fromEnv(model, { api, fetch, retry: false }), textRequest, stream),
      );
      await record(`${api}-calls-${mode}`, (fetch) =>
        callModel(OpenAi.fromEnv(model, { api, fetch, retry: false }), callRequest, stream),
      );
    }
    const unknown = 'a-model-that-is-not-there';
    await record(`${api}-refused`, (fetch) =>
      callModel(OpenAi.fromEnv(unknown, { api, fetch, retry: false }), textRequest, false),
    );
  }
  await record('embeddings', (fetch) =>
    OpenAiEmbedder.fromEnv('text-embedding-3-small', { fetch, retry: false }).embed(['pizza'], { task: 'document' }),
  );
}

async function callModel(llm: OpenAi, request: LlmRequest, stream: boolean): Promise<void> {
  const { signal } = new AbortController();
  for await (const response of llm.generateContentAsync(request, { stream, signal })) void response;
}

/** Makes the call and saves its answer, also an error response. */
async function record(name: string, call: (fetch: typeof globalThis.fetch) => Promise<unknown>): Promise<void> {
  if (nameParts.length > 0 && !nameParts.some((part) => name.includes(part))) return;
  let saved: object | undefined;
  const outcome = await call(async (input, init) => {
    const response = await fetch(input, init);
    const pieces = await readPieces(response);
    const headers = Object.fromEntries([...response.headers].filter(([header]) => RECORDED_HEADERS.includes(header)));
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const sent: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
    saved = { path: pathname, sent, status: response.status, headers, pieces };
    return new Response(pieces.join(''), { status: response.status, headers: response.headers });
  }).then(
    () => 'answered',
    (error: { code?: string }) => error.code ?? 'failed',
  );
  if (saved) writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(saved, undefined, 2)}\n`);
  console.log(`${name}: ${outcome}${saved ? '' : ', no response was received'}`);
}

async function readPieces(response: Response): Promise<string[]> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  for await (const bytes of response.body ?? []) pieces.push(decoder.decode(bytes as Uint8Array, { stream: true }));
  return pieces;
}
