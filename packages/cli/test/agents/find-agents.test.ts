import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAgents } from '../../src/agents/find-agents.ts';
import { findOneAgent } from '../../src/agents/load-one-agent.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const agent = 'export const rootAgent = {};';

describe('findAgents', () => {
  it('finds folders with agent.ts or index.ts, and files that export an agent, by name', async () => {
    const cwd = temporaryFolder({
      'weather/agent.ts': agent,
      'weather/tools.ts': agent,
      'books/index.js': agent,
      'both/agent.mts': agent,
      'both/index.ts': agent,
      'single.ts': 'export const rootAgent: Agent = make();',
      'whole.mjs': 'export { runner };',
      'guess.ts': 'export default thing;',
    });
    const { agents, root } = await findAgents(cwd, '.');
    expect(root).toBe(cwd);
    expect(agents.map(({ name, file, maybe }) => [name, file.slice(cwd.length + 1), maybe])).toEqual([
      ['books', 'books/index.js', true],
      ['both', 'both/agent.mts', undefined],
      ['guess', 'guess.ts', true],
      ['single', 'single.ts', undefined],
      ['weather', 'weather/agent.ts', undefined],
      ['whole', 'whole.mjs', true],
    ]);
  });

  it('passes over what is installed, hidden, built, declared, a test, or exports nothing of the kind', async () => {
    const cwd = temporaryFolder({
      'node_modules/agent.ts': agent,
      '.hidden/agent.ts': agent,
      'dist/agent.js': agent,
      'types.d.ts': agent,
      'a.test.ts': agent,
      'vitest.config.ts': 'export default {};',
      'tools.ts': 'export const appliance = 1;\nconst rootAgent = 2;\nexport interface Options {\n  app: string;\n}\n',
      'notes.md': agent,
      'empty/readme.md': '',
    });
    expect((await findAgents(cwd, '.')).agents).toEqual([]);
  });

  it('takes a folder with an agent.ts as that one agent, and a file as itself', async () => {
    const cwd = temporaryFolder({ 'hello/agent.ts': agent, 'hello/other/agent.ts': agent, 'hello/x.ts': agent });
    for (const path of ['hello', 'hello/', './hello/agent.ts']) {
      const { agents, root } = await findAgents(cwd, path);
      expect(agents).toEqual([{ name: 'hello', file: join(cwd, 'hello/agent.ts'), folder: join(cwd, 'hello') }]);
      expect(root).toBe(join(cwd, 'hello'));
    }
    expect((await findAgents(cwd, 'hello/x.ts')).agents).toMatchObject([{ name: 'x' }]);
  });

  it('follows symbolic links', async () => {
    const [cwd, elsewhere] = [temporaryFolder(), temporaryFolder({ 'agent.ts': agent })];
    symlinkSync(elsewhere, join(cwd, 'linked'));
    expect((await findAgents(cwd, '.')).agents).toMatchObject([{ file: join(elsewhere, 'agent.ts') }]);
  });

  it('refuses a path that is not there', async () => {
    await expect(findAgents(temporaryFolder(), 'nowhere')).rejects.toThrow('There is no file or folder nowhere.');
  });
});

describe('findOneAgent', () => {
  it('refuses a folder without an agent and says what one needs', async () => {
    await expect(findOneAgent(temporaryFolder(), '.')).rejects.toThrow(/no agent in \.: a folder needs an agent\.ts/);
  });

  it('refuses a folder with several and names them', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agent, 'b/agent.ts': agent });
    await expect(findOneAgent(cwd, '.')).rejects.toThrow(/more than one agent in \.: a, b\. Name/);
  });
});
