import { describe, expect, it } from 'vitest';
import { agentText } from '../support/agent-text.ts';
import { spawnThole } from '../support/spawn-thole.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('An agent that ends the process', () => {
  it.each([
    ['process.exit(0)', 0, 1],
    ['process.exit(3)', 3, 3],
    ['await Promise.reject(process.exit())', 0, 1],
  ])('while it is loaded with %s is named in an error', async (call, exitCode, code) => {
    const cwd = temporaryFolder({ 'hasty/agent.ts': `export const name = 'hasty';\n${call};\n` });
    expect(await spawnThole(['run', 'hasty', 'Hello'], { cwd })).toEqual({
      code,
      output: '',
      errors: `error: hasty/agent.ts:2: The module called process.exit(${exitCode}). Remove the call, or throw an error instead.\n`,
    });
  });

  it('while it is loaded with an uncaught error is not reported as a call of process.exit', async () => {
    const text =
      'setTimeout(() => { throw new Error("No luck."); });\nawait new Promise((resolve) => setTimeout(resolve, 60_000));';
    const { code, errors } = await spawnThole(['run', 'late', 'Hello'], {
      cwd: temporaryFolder({ 'late/agent.ts': text }),
    });
    expect([code, errors]).toEqual([1, expect.stringContaining('No luck.')]);
    expect(errors).not.toContain('process.exit');
  });

  it('after it was loaded is not reported', async () => {
    const cwd = temporaryFolder({
      'echo/agent.ts': agentText('echo', '(setImmediate(() => process.exit(0)), "said")'),
    });
    expect(await spawnThole(['run', 'echo', 'Hello'], { cwd })).toMatchObject({ code: 0, errors: '' });
  });
});
