// node --conditions=@thole/source packages/provider-anthropic/test/record.ts [folder]
// Calls Anthropic's API several times and writes a file per call: path, status, headers without secrets, and the chunks of the
// body. The default folder is test/fixtures/recorded. Needs ANTHROPIC_API_KEY. RECORD_MODEL is the model (default:
// claude-haiku-5-5).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnvVars, LlmRequest } from '@thole/core';
import { Anthropic } from '../src/index.ts';

/** The recorded data of one call. */
export interface Recording {
  readonly name: string;
  readonly request: { readonly path: string; readonly body: unknown };
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Chunks of the body as text. A character that is split between two chunks is in the second one. */
  readonly body: readonly string[];
}

const requestOf = (text: string, config: LlmRequest['config'] = {}): LlmRequest => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  config,
});
const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const room = {
  type: 'object',
  properties: { beds: { type: 'integer' }, view: { type: 'string' } },
  required: ['beds', 'view'],
};

const calls: readonly { readonly name: string; readonly stream: boolean; readonly request: LlmRequest }[] = [
  { name: 'text', stream: false, request: requestOf('Say good morning in French.') },
  { name: 'streamed-text', stream: true, request: requestOf('Count from one to thirty in words.') },
  {
    name: 'thinking',
    stream: true,
    request: requestOf('Is 391 a prime?', { thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' } }),
  },
  {
    name: 'parallel-calls',
    stream: true,
    request: requestOf('What is the weather in Oslo and in Bergen?', { tools: [{ functionDeclarations: [weather] }] }),
  },
  {
    name: 'web-search',
    stream: true,
    request: requestOf('Who won the Tour de France last?', { tools: [{ webSearch: {} }] }),
  },
  {
    name: 'code-execution',
    stream: true,
    request: requestOf('Compute 2^61 - 1 with code.', { tools: [{ codeExecution: {} }] }),
  },
  {
    name: 'structured-output',
    stream: false,
    request: requestOf('A hotel room for two with a view of the sea.', { responseJsonSchema: room }),
  },
];

/** Records all calls into the folder, also rejected ones. Returns the paths of the files. */
export async function record(folder: string, env: EnvVars): Promise<string[]> {
  const recordings: Recording[] = [];
  const key = env['ANTHROPIC_API_KEY']?.trim() ?? '';
  const { signal } = new AbortController();
  for (const { name, stream, request } of calls) {
    const fetch = recordingFetch(name, recordings, key);
    const llm = Anthropic.fromEnv(env['RECORD_MODEL'] ?? 'claude-haiku-5-5', { env, retry: false, fetch });
    await Array.fromAsync(llm.generateContentAsync(request, { stream, signal })).catch((error: unknown) =>
      console.error(`${name}: ${String(error)}`),
    );
  }
  mkdirSync(folder, { recursive: true });
  return recordings.map((each) => {
    const file = join(folder, `${each.name}.json`);
    writeFileSync(file, `${JSON.stringify(each, null, 2)}\n`);
    return file;
  });
}

/** Returns a `fetch` that adds a recording for each request. */
function recordingFetch(name: string, recordings: Recording[], key: string): typeof fetch {
  const redact = (text: string): string => (key === '' ? text : text.replaceAll(key, '[redacted]'));
  return async (input, init) => {
    const answer = await fetch(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const body: string[] = [];
    const sent: unknown = typeof init?.body === 'string' ? JSON.parse(redact(init.body)) : null;
    const headers = Object.fromEntries(
      [...answer.headers].filter(([each]) => !/cookie|auth|key|token|organization/i.test(each)),
    );
    recordings.push({ name, request: { path: pathname, body: sent }, status: answer.status, headers, body });
    const decoder = new TextDecoder();
    for await (const bytes of answer.body ?? [])
      body.push(redact(decoder.decode(bytes as Uint8Array, { stream: true })));
    return new Response(body.join(''), { status: answer.status, headers: answer.headers });
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.env['ANTHROPIC_API_KEY']) {
    console.error("Set ANTHROPIC_API_KEY to record answers of Anthropic's API.");
    process.exit(1);
  }
  const folder = process.argv[2] ?? join(import.meta.dirname, 'fixtures/recorded');
  for (const file of await record(folder, process.env)) console.log(file);
}
