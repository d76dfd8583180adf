import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AgentEnvironment } from '../../src/agents/agent-environment.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

it('adds the variables of .env, the agent’s before the folder’s, and changes none that is set', async () => {
  const root = temporaryFolder({ '.env': 'A=outer\nB=outer\nC=outer\n', 'x/.env': 'B=inner\nC="inner"\n# no\n' });
  const env = { C: 'set' };
  expect(await new AgentEnvironment(env).load([root, join(root, 'x')])).toEqual({ A: 'outer', B: 'inner', C: 'set' });
  expect(env).toEqual({ A: 'outer', B: 'inner', C: 'set' });
});

it('gives each agent its own variables, whichever was read last', async () => {
  const root = temporaryFolder({ 'x/.env': 'KEY=x\nX=1', 'y/.env': 'KEY=y' });
  const env: { [name: string]: string } = {};
  const environment = new AgentEnvironment(env);
  expect(await environment.load([root, join(root, 'x')])).toEqual({ KEY: 'x', X: '1' });
  expect(await environment.load([root, join(root, 'y')])).toEqual({ KEY: 'y' });
  expect(env['KEY']).toBe('y');
});

it('reads a file again that has changed', async () => {
  const root = temporaryFolder({ '.env': 'KEY=old' });
  const env: { [name: string]: string } = {};
  const environment = new AgentEnvironment(env);
  await environment.load([root]);
  writeFiles(root, { '.env': 'KEY=new' });
  expect(await environment.load([root])).toEqual({ KEY: 'new' });
  expect(env).toEqual({ KEY: 'new' });
});

it('adds nothing where there is no .env', async () => {
  const env = {};
  expect(await new AgentEnvironment(env).load([temporaryFolder()])).toEqual({});
  expect(env).toEqual({});
});
