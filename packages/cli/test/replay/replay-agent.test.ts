import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { recordRun } from '@thole/replay';
import { LlmAgent, Runner } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';

const sessionService = new InMemorySessionService();

function helloAgent(instruction: string): Agent {
  return new LlmAgent({ name: 'hello', model: new ScriptedLlm(says('Hi.')), instruction });
}

async function setUp(): Promise<{ cwd: string; replay: (exported: object) => ReturnType<typeof thole> }> {
  const cwd = temporaryFolder({ 'agent.ts': '' });
  const options = { appName: 'hello', agent: helloAgent('Greet.'), sessionService };
  await recordRun(options, { userId: 'ann', newMessage: 'Hello' }, { file: join(cwd, 'run.json') });
  return { cwd, replay: (exported) => thole(['replay', 'run.json'], { cwd, modules: { 'agent.ts': exported } }) };
}

describe('thole replay', () => {
  it('prints that the runs are equal and exits with 0', async () => {
    const { replay } = await setUp();
    const rootAgent = helloAgent('Greet.');
    expect(await replay({ rootAgent })).toEqual({ code: 0, output: 'Equal: 2 events.\n', errors: '' });
  });

  it('prints the first difference and exits with 1', async () => {
    const { replay } = await setUp();
    const { code, output } = await replay({ rootAgent: helloAgent('Shout.') });
    expect(code).toBe(1);
    expect(output).toContain('call 1 of the model of hello differs at config.systemInstruction.');
  });

  it('rejects a runner with exit code 2, and a wrong file with 1', async () => {
    const { cwd, replay } = await setUp();
    const runner = new Runner({ appName: 'hello', agent: helloAgent('Greet.'), sessionService });
    expect(await replay({ runner })).toMatchObject({ code: 2, errors: expect.stringContaining('exports a runner') });
    await writeFile(join(cwd, 'run.json'), '{');
    const { code, errors } = await replay({ rootAgent: helloAgent('Greet.') });
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining('is not JSON') });
  });
});
