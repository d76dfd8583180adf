import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('Anthropic', () => {
  it('loads the SDK at the first call, not before, and no SDK of a cloud', () => {
    const entry = new URL('../src/index.ts', import.meta.url).href;
    const program = `
      import { registerHooks } from 'node:module';
      const imported = [];
      registerHooks({ resolve: (name, context, next) => (imported.push(name), next(name, context)) });
      const { Anthropic } = await import(${JSON.stringify(entry)});
      const model = new Anthropic({ model: 'm', apiKey: 'k', baseUrl: 'http://127.0.0.1:9', retry: false });
      const before = imported.includes('@anthropic-ai/sdk');
      const options = { stream: false, signal: new AbortController().signal };
      await model.generateContentAsync({ contents: [], config: {} }, options).next().catch(() => {});
      console.log(before, imported.includes('@anthropic-ai/sdk'), imported.some((name) => /bedrock|vertex/.test(name)));`;
    const flags = ['--conditions=@thole/source', '--input-type=module', '-e', program];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('false true false');
  });
});
