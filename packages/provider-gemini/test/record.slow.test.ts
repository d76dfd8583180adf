import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startGeminiServer } from './gemini-server.ts';
import { record } from './record.ts';
import type { Recording } from './record.ts';

describe('record', () => {
  it('stores status, headers and the chunks of the body, and never the key', async () => {
    const server = await startGeminiServer();
    const folder = mkdtempSync(join(tmpdir(), 'recorded-'));
    try {
      const env = { GEMINI_API_KEY: 'a-local-key', GOOGLE_GEMINI_BASE_URL: server.url, RECORD_MODEL: 'gemini-stream' };
      await record(folder, env);
      const files = ['embedding', 'parallel-calls', 'streamed-text', 'structured-output', 'text', 'thinking'];
      expect(readdirSync(folder)).toEqual(files.map((name) => `${name}.json`));
      const texts = files.map((name) => readFileSync(join(folder, `${name}.json`), 'utf8'));
      for (const text of texts) expect(text).not.toContain('a-local-key');
      const [embedding, , streamed, structured] = texts.map((text) => JSON.parse(text) as Recording);
      expect(embedding).toMatchObject({ name: 'embedding', status: 200, request: { method: 'POST' } });
      expect(streamed!.headers['content-type']).toBe('text/event-stream');
      expect(streamed!.body.length).toBeGreaterThan(1);
      expect(streamed!.body.join('')).toContain('部屋 🏨');
      expect(streamed!.request.path).toBe('/v1beta/models/gemini-stream:streamGenerateContent?alt=sse');
      expect(JSON.parse(structured!.body.join(''))).toHaveProperty('candidates');
      expect(structured!.request.body).toMatchObject({ generationConfig: { responseMimeType: 'application/json' } });
    } finally {
      rmSync(folder, { recursive: true });
      await server.close();
    }
  });

  it('names the environment variables and exits with 1 if there is no key', async () => {
    const flags = [
      '--conditions=@thole/source',
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, 'record.ts'),
    ];
    const { GOOGLE_API_KEY: _, GEMINI_API_KEY: __, ...env } = process.env;
    const ran = promisify(execFile)(process.execPath, flags, { env });
    await expect(ran).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/GOOGLE_API_KEY or GEMINI_API_KEY/),
    });
  });
});
