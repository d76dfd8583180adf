// node --conditions=@thole/source packages/provider-gemini/test/record.ts [folder]
// Calls Gemini several times and writes a file per call: status, headers without secrets, and the chunks of the body. The default
// folder is test/fixtures/recorded. Needs GOOGLE_API_KEY or GEMINI_API_KEY. RECORD_MODEL is the model (default:
// gemini-3-flash-preview).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LlmRequest } from '@thole/core';
import { Gemini, GeminiEmbedder } from '../src/index.ts';

/** The recorded data of one call. */
export interface Recording {
  readonly name: string;
  readonly request: { readonly method: string; readonly path: string; readonly body: unknown };
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Chunks of the body as text. A character that is split between two chunks is in the second one. */
  readonly body: readonly string[];
}

interface Call {
  readonly name: string;
  readonly stream: boolean;
  readonly request: LlmRequest;
}

const ask = (text: string): LlmRequest['contents'] => [{ role: 'user', parts: [{ text }] }];
const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const calls: readonly Call[] = [
  { name: 'text', stream: false, request: { contents: ask('Say good morning in French.'), config: {} } },
  { name: 'streamed-text', stream: true, request: { contents: ask('Count from one to thirty in words.'), config: {} } },
  {
    name: 'thinking',
    stream: true,
    request: { contents: ask('Is 391 a prime?'), config: { thinkingConfig: { includeThoughts: true } } },
  },
  {
    name: 'parallel-calls',
    stream: true,
    request: {
      contents: ask('What is the weather in Oslo and in Bergen?'),
      config: { tools: [{ functionDeclarations: [weather] }] },
    },
  },
  {
    name: 'structured-output',
    stream: false,
    request: {
      contents: ask('A hotel room for two with a view of the sea.'),
      config: {
        responseJsonSchema: {
          type: 'object',
          properties: { beds: { type: 'integer' }, view: { type: 'string' } },
          required: ['beds', 'view'],
        },
      },
    },
  },
];

/** Records all calls into the folder. Returns the paths of the files. */
export async function record(folder: string, env: { readonly [name: string]: string | undefined }): Promise<string[]> {
  const recordings: Recording[] = [];
  const secrets = [env['GOOGLE_API_KEY'], env['GEMINI_API_KEY']].flatMap((key) => key?.trim() || []);
  const options = (name: string) => ({ env, retry: false as const, fetch: recordingFetch(name, recordings, secrets) });
  const model = env['RECORD_MODEL'] ?? 'gemini-3-flash-preview';
  for (const { name, stream, request } of calls) {
    const { signal } = new AbortController();
    await Array.fromAsync(Gemini.fromEnv(model, options(name)).generateContentAsync(request, { stream, signal }));
  }
  await GeminiEmbedder.fromEnv('gemini-embedding-001', { ...options('embedding'), dimensions: 768 }).embed(
    ['one', 'two'],
    {
      task: 'document',
    },
  );
  mkdirSync(folder, { recursive: true });
  return recordings.map((each) => {
    const file = join(folder, `${each.name}.json`);
    writeFileSync(file, `${JSON.stringify(each, null, 2)}\n`);
    return file;
  });
}

/** Returns a `fetch` that adds a recording for each call. */
function recordingFetch(name: string, recordings: Recording[], secrets: readonly string[]): typeof fetch {
  const redact = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  return async (input, init) => {
    const answer = await fetch(input, init);
    const url = new URL(String(input instanceof Request ? input.url : input));
    const body: string[] = [];
    const path = redact(url.pathname + url.search);
    recordings.push({
      name,
      request: {
        method: init?.method ?? 'GET',
        path,
        body: typeof init?.body === 'string' ? JSON.parse(redact(init.body)) : null,
      },
      status: answer.status,
      headers: Object.fromEntries([...answer.headers].filter(([each]) => !/cookie|auth|key|token|secret/i.test(each))),
      body,
    });
    const decoder = new TextDecoder();
    const recorder = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        body.push(redact(decoder.decode(bytes, { stream: true })));
        controller.enqueue(bytes);
      },
    });
    return new Response(
      answer.body?.pipeThrough(recorder as TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>),
      answer,
    );
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.env['GOOGLE_API_KEY'] && !process.env['GEMINI_API_KEY']) {
    console.error('Set GOOGLE_API_KEY or GEMINI_API_KEY to record answers of Gemini.');
    process.exit(1);
  }
  const folder = process.argv[2] ?? join(import.meta.dirname, 'fixtures/recorded');
  for (const file of await record(folder, process.env)) console.log(file);
}
