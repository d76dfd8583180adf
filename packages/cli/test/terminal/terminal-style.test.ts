import { LlmAgent } from '@thole/runner';
import { calls, fails, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';
import type { TholeOptions } from '../support/thole.ts';

const weather = new FunctionTool({
  name: 'weather',
  description: 'Tells the weather.',
  execute: () => ({ sky: 'blue' }),
});

async function runInTerminal(answers: readonly ScriptedAnswer[], options: TholeOptions): Promise<string> {
  const cwd = temporaryFolder({ 'hello/agent.ts': '' });
  const rootAgent = new LlmAgent({ name: 'hello', model: new ScriptedLlm(...answers), tools: [weather] });
  const run = await thole(['run', 'hello', 'Hi'], { cwd, modules: { 'hello/agent.ts': { rootAgent } }, ...options });
  return run.output;
}

const working = (text: string): string => `${text}\r\u001b[K`;

describe('thole run in a terminal', () => {
  it('shows "working…" until the first text, and uses colours', async () => {
    const dim = working('\u001b[2mworking…\u001b[22m');
    expect(await runInTerminal([calls('weather'), says('Blue.')], { tty: true })).toBe(
      `${dim}\u001b[2m  [weather() → sky: "blue"]\u001b[22m\n${dim}\u001b[36mhello: \u001b[39mBlue.\n`,
    );
    const failed = await runInTerminal([fails('MODEL_AUTH')], { tty: true });
    expect(failed).toContain('\u001b[31m! MODEL_AUTH: ');
    expect(failed.endsWith('\u001b[39m\n')).toBe(true);
  });

  it('uses no colours with NO_COLOR', async () => {
    const env = { NO_COLOR: '1' };
    expect(await runInTerminal([says('Blue.')], { tty: true, env })).toBe(`${working('working…')}hello: Blue.\n`);
  });

  it.each([
    ['in a pipe', {}],
    ['in a dumb terminal', { tty: true, env: { TERM: 'dumb' } }],
  ])('writes plain text %s', async (_, options) => {
    expect(await runInTerminal([says('Blue.')], options)).toBe('hello: Blue.\n');
  });
});
