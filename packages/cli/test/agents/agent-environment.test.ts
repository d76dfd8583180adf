import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentEnvironment } from '../../src/agents/agent-environment.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

describe('AgentEnvironment.load', () => {
  it('adds variables of .env files, prefers later folders, and keeps existing variables', async () => {
    const root = temporaryFolder({ '.env': 'A=outer\nB=outer\nC=outer\n', 'x/.env': 'B=inner\nC="inner"\n# no\n' });
    const env = { C: 'set' };
    expect(await new AgentEnvironment(env).load([root, join(root, 'x')])).toEqual({ A: 'outer', B: 'inner', C: 'set' });
    expect(env).toEqual({ A: 'outer', B: 'inner', C: 'set' });
  });

  it('returns the variables of each agent, also after another agent was loaded', async () => {
    const root = temporaryFolder({ 'x/.env': 'KEY=x\nX=1', 'y/.env': 'KEY=y' });
    const env: { [name: string]: string } = {};
    const environment = new AgentEnvironment(env);
    expect(await environment.load([root, join(root, 'x')])).toEqual({ KEY: 'x', X: '1' });
    expect(await environment.load([root, join(root, 'y')])).toEqual({ KEY: 'y' });
    expect(env['KEY']).toBe('y');
  });

  it('reads a file that begins with a byte order mark', async () => {
    const root = temporaryFolder({ '.env': '\uFEFFKEY=x\n' });
    expect(await new AgentEnvironment({}).load([root])).toEqual({ KEY: 'x' });
  });

  it('reads a file in UTF-16, which PowerShell writes', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, '.env'), Buffer.from('\uFEFFKEY=x\r\nNAME=ü\r\n', 'utf16le'));
    expect(await new AgentEnvironment({}).load([root])).toEqual({ KEY: 'x', NAME: 'ü' });
  });

  it('reads a changed file again', async () => {
    const root = temporaryFolder({ '.env': 'KEY=old' });
    const env: { [name: string]: string } = {};
    const environment = new AgentEnvironment(env);
    await environment.load([root]);
    writeFiles(root, { '.env': 'KEY=new' });
    expect(await environment.load([root])).toEqual({ KEY: 'new' });
    expect(env).toEqual({ KEY: 'new' });
  });

  it('adds nothing without .env files', async () => {
    const env = {};
    expect(await new AgentEnvironment(env).load([temporaryFolder()])).toEqual({});
    expect(env).toEqual({});
  });
});
