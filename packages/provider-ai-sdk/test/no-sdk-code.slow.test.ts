import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('AiSdkLlm', () => {
  it('imports no code of the AI SDK', () => {
    const entry = new URL('../src/index.ts', import.meta.url).href;
    const program = `
      import { registerHooks } from 'node:module';
      const imported = [];
      registerHooks({ resolve: (name, context, next) => (imported.push(name), next(name, context)) });
      await import(${JSON.stringify(entry)});
      console.log(imported.includes('@thole/core'), imported.filter((name) => name.startsWith('@ai-sdk/')).length);`;
    const flags = ['--conditions=@thole/source', '--input-type=module', '-e', program];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('true 0');
  });
});
