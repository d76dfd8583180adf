import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('OpenAi', () => {
  it('loads the SDK at the first call, not before', () => {
    const entry = new URL('../src/index.ts', import.meta.url).href;
    const program = `
      import { registerHooks } from 'node:module';
      const imported = [];
      registerHooks({ resolve: (name, context, next) => (imported.push(name), next(name, context)) });
      const { OpenAi } = await import(${JSON.stringify(entry)});
      const model = new OpenAi({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1', retry: false });
      const before = imported.includes('openai');
      const options = { stream: false, signal: new AbortController().signal };
      await model.generateContentAsync({ contents: [], config: {} }, options).next().catch(() => {});
      console.log(before, imported.includes('openai'));`;
    const flags = ['--conditions=@thole/source', '--input-type=module', '-e', program];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('false true');
  });
});
