import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = new URL('../../..', import.meta.url).pathname;

describe('Gemini', () => {
  it('loads the SDK at the first call, and for a key only the part that needs no credentials', async () => {
    const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) });
    const { Gemini } = await import('./packages/provider-gemini/src/index.ts');
    const llm = new Gemini({ model: 'gemini-1', apiKey: 'a-local-key', baseUrl: 'http://127.0.0.1:1', retry: false });
    const sdk = () => loaded.filter((name) => name.startsWith('@google/genai') || name === 'google-auth-library');
    const before = sdk();
    const request = { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }], config: {} };
    try {
      for await (const _ of llm.generateContentAsync(request, { stream: false, signal: new AbortController().signal }));
    } catch {}
    console.log(JSON.stringify({ before, after: sdk() }));`;
    const flags = [
      '--conditions=@thole/source',
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      script,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: root });
    expect(JSON.parse(stdout)).toEqual({ before: [], after: ['@google/genai/web'] });
  });
});
