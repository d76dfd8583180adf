// node --conditions=@thole/source packages/provider-anthropic/test/record.ts [folder]
// Makes a handful of calls to Anthropic's API and keeps what came over the wire, a file each, in test/fixtures/recorded or
// the folder that is named: path, status, headers without secrets, and the pieces of the body. Needs ANTHROPIC_API_KEY;
// RECORD_MODEL says which model is asked (claude-haiku-5-5).
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
  /** Text of the body. A piece that ends within a character passes its bytes to the next piece. */
  readonly body: readonly string[];
}

const asking = (text: string, config: LlmRequest['config'] = {}): LlmRequest => ({
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

const wanted: readonly { readonly name: string; readonly stream: boolean; readonly request: LlmRequest }[] = [
  { name: 'text', stream: false, request: asking('Say good morning in French.') },
  { name: 'streamed-text', stream: true, request: asking('Count from one to thirty in words.') },
  {
    name: 'thinking',
    stream: true,
    request: asking('Is 391 a prime?', { thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' } }),
  },
  {
    name: 'parallel-calls',
    stream: true,
    request: asking('What is the weather in Oslo and in Bergen?', { tools: [{ functionDeclarations: [weather] }] }),
  },
  {
    name: 'web-search',
    stream: true,
    request: asking('Who won the Tour de France last?', { tools: [{ webSearch: {} }] }),
  },
  {
    name: 'code-execution',
    stream: true,
    request: asking('Compute 2^61 - 1 with code.', { tools: [{ codeExecution: {} }] }),
  },
  {
    name: 'structured-output',
    stream: false,
    request: asking('A hotel room for two with a view of the sea.', { responseJsonSchema: room }),
  },
];

/** Records everything into the folder, refusals too. Returns the files. */
export async function record(folder: string, env: EnvVars): Promise<string[]> {
  const recordings: Recording[] = [];
  const key = env['ANTHROPIC_API_KEY']?.trim() ?? '';
  const { signal } = new AbortController();
  for (const { name, stream, request } of wanted) {
    const fetch = recording(name, recordings, key);
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

/** Returns a `fetch` that keeps what came. The last of several requests of one call is kept. */
function recording(name: string, recordings: Recording[], key: string): typeof fetch {
  const clean = (text: string): string => (key === '' ? text : text.replaceAll(key, '[redacted]'));
  return async (input, init) => {
    const answer = await fetch(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const body: string[] = [];
    const sent: unknown = typeof init?.body === 'string' ? JSON.parse(clean(init.body)) : null;
    const headers = Object.fromEntries(
      [...answer.headers].filter(([each]) => !/cookie|auth|key|token|organization/i.test(each)),
    );
    recordings.push({ name, request: { path: pathname, body: sent }, status: answer.status, headers, body });
    const decoder = new TextDecoder();
    for await (const bytes of answer.body ?? [])
      body.push(clean(decoder.decode(bytes as Uint8Array, { stream: true })));
    return new Response(body.join(''), { status: answer.status, headers: answer.headers });
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.env['ANTHROPIC_API_KEY']) {
    console.error("Set ANTHROPIC_API_KEY to record what Anthropic's API answers.");
    process.exit(1);
  }
  const folder = process.argv[2] ?? join(import.meta.dirname, 'fixtures/recorded');
  for (const file of await record(folder, process.env)) console.log(file);
}
