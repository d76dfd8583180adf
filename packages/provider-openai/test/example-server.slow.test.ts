import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@thole/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenAi } from '../src/index.ts';
import { ask } from './ask.ts';
import { packageFlags } from '../../../test/servers/package-flags.ts';

const fileOf = (name: string): string => join(import.meta.dirname, name);
const FLAGS = [...packageFlags, '--disable-warning=ExperimentalWarning'];
let server: ChildProcess;
let env: { OPENAI_API_KEY: string; OPENAI_BASE_URL: string };

beforeAll(async () => {
  server = spawn(process.execPath, [...FLAGS, fileOf('example-server.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await Array.fromAsync(readFirstLine());
  env = JSON.parse(line!) as typeof env;
});
afterAll(() => void server.kill());

async function* readFirstLine(): AsyncGenerator<string> {
  for await (const data of server.stdout!) {
    yield String(data);
    return;
  }
}

describe('example-server.ts', () => {
  it('prints the variables to set, and answers both APIs', async () => {
    for (const api of ['chat', 'responses'] as const) {
      const responses = await ask(OpenAi.fromEnv('gpt-5-mini', { env, api }), { stream: true });
      expect(responses.slice(0, -1).map(({ content }) => textOf(content))).toEqual([
        'Breakfast is ',
        'from seven ',
        'to ten.',
      ]);
      expect(textOf(responses.at(-1)?.content)).toBe('Breakfast is from seven to ten.');
    }
  });
});

describe('record.ts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'thole-record-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('saves complete, streamed and rejected responses without keys', async () => {
    const { code, stdout } = await runRecord({ ...env, OPENAI_API_KEY: 'sk-do-not-save-12345' });
    expect(code, stdout).toBe(0);
    const names = ['calls-stream', 'calls-whole', 'refused', 'text-stream', 'text-whole'];
    expect(readdirSync(folder).sort()).toEqual([
      ...names.map((name) => `chat-${name}.json`),
      'embeddings.json',
      ...names.map((name) => `responses-${name}.json`),
    ]);
    const saved = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const stream = JSON.parse(saved('chat-text-stream.json')) as { path: string; pieces: string[] };
    expect(stream).toMatchObject({
      path: '/v1/chat/completions',
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
    });
    expect(stream.pieces.join('')).toContain('data: [DONE]');
    for (const name of readdirSync(folder)) expect(saved(name)).not.toContain('sk-do-not-save');
  });

  it('makes only the calls whose names contain an argument', async () => {
    const { stdout } = await runRecord(env, 'embed', 'chat-refused');
    expect(stdout.trim().split('\n')).toEqual(['chat-refused: answered', 'embeddings: answered']);
  });

  it('names the environment variable if there is no key', async () => {
    const { code, stderr } = await runRecord({});
    expect(code).toBe(1);
    expect(stderr).toContain('OPENAI_API_KEY');
  });

  function runRecord(
    variables: { [name: string]: string },
    ...nameParts: string[]
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      const options = { env: { PATH: process.env['PATH'], RECORD_FOLDER: folder, ...variables } };
      execFile(process.execPath, [...FLAGS, fileOf('record.ts'), ...nameParts], options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  }
});
