import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAgents } from '../../src/agents/find-agents.ts';
import { findOneAgent } from '../../src/agents/load-one-agent.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const agent = 'export const rootAgent = {};';

describe('findAgents', () => {
  it('finds folders with agent.ts or index.ts, and files that export an agent', async () => {
    const cwd = temporaryFolder({
      'weather/agent.ts': agent,
      'weather/tools.ts': agent,
      'books/index.js': agent,
      'both/agent.mts': agent,
      'both/index.ts': agent,
      'single.ts': 'export const rootAgent: Agent = make();',
      'whole.mjs': 'export { runner };',
      'guess.ts': '\uFEFFexport default thing;',
    });
    const { agents, root } = await findAgents(cwd, '.');
    expect(root).toBe(cwd);
    expect(agents.map(({ name, file, isGuess }) => [name, file.slice(cwd.length + 1), isGuess])).toEqual([
      ['books', 'books/index.js', true],
      ['both', 'both/agent.mts', undefined],
      ['guess', 'guess.ts', true],
      ['single', 'single.ts', undefined],
      ['weather', 'weather/agent.ts', undefined],
      ['whole', 'whole.mjs', true],
    ]);
  });

  it('ignores installed, hidden, built and declaration files, tests, and other modules', async () => {
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

  it('returns one agent for a folder with agent.ts and for a file', async () => {
    const cwd = temporaryFolder({ 'hello/agent.ts': agent, 'hello/other/agent.ts': agent, 'hello/x.ts': agent });
    for (const path of ['hello', 'hello/', './hello/agent.ts']) {
      const { agents, root } = await findAgents(cwd, path);
      expect(agents).toEqual([{ name: 'hello', file: join(cwd, 'hello/agent.ts'), folder: join(cwd, 'hello') }]);
      expect(root).toBe(join(cwd, 'hello'));
    }
    expect((await findAgents(cwd, 'hello/x.ts')).agents).toMatchObject([{ name: 'x' }]);
  });

  it('finds an agent once that a symbolic link in the folder names again', async () => {
    const cwd = temporaryFolder({ 'v2/agent.ts': agent, 'other/agent.ts': agent });
    symlinkSync('v2', join(cwd, 'latest'));
    const { agents } = await findAgents(cwd, '.');
    expect(agents.map(({ name }) => name)).toEqual(['other', 'v2']);
  });

  it('follows symbolic links', async () => {
    const [cwd, elsewhere] = [temporaryFolder(), temporaryFolder({ 'agent.ts': agent })];
    symlinkSync(elsewhere, join(cwd, 'linked'));
    expect((await findAgents(cwd, '.')).agents).toMatchObject([{ file: join(elsewhere, 'agent.ts') }]);
  });

  it('rejects an unknown path', async () => {
    await expect(findAgents(temporaryFolder(), 'nowhere')).rejects.toThrow('There is no file or folder nowhere.');
  });
});

describe('findOneAgent', () => {
  it('rejects a folder without an agent, and names the file that it needs', async () => {
    await expect(findOneAgent(temporaryFolder(), '.')).rejects.toThrow(/no agent in \.: a folder needs an agent\.ts/);
  });

  it('rejects a folder with several agents, and names them', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agent, 'b/agent.ts': agent });
    await expect(findOneAgent(cwd, '.')).rejects.toThrow(/several agents in \.: a, b\. Pass/);
  });
});
