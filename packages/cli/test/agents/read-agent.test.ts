import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { readAgent } from '../../src/agents/read-agent.ts';

const rootAgent = new LlmAgent({ name: 'root', model: new ScriptedLlm() });
const app = { name: 'shop', rootAgent };
const runner = new Runner({ app: { ...app, name: 'own' }, sessionService: new InMemorySessionService() });

describe('readAgent', () => {
  it.each([
    ['rootAgent under the name of its file', { rootAgent }, 'app', 'file'],
    ['a promise of it', { rootAgent: Promise.resolve(rootAgent) }, 'app', 'file'],
    ['app before rootAgent, under its own name', { rootAgent, app }, 'app', 'shop'],
    ['runner before app', { app, runner, rootAgent }, 'runner', 'own'],
    ['an agent as default export', { default: rootAgent }, 'app', 'file'],
    ['an app as default export', { default: app }, 'app', 'shop'],
    ['a runner as default export', { default: runner }, 'runner', 'own'],
    ['the exports of CommonJS', { default: { rootAgent } }, 'app', 'file'],
    ['rootAgent if app is not an app', { app: 'x', rootAgent }, 'app', 'file'],
  ])('returns %s', async (_, module, kind, name) => {
    const exported = kind === 'app' ? { app: { name } } : { runner: { appName: name } };
    expect(await readAgent(module, 'file')).toMatchObject({ kind, ...exported });
  });

  it.each([
    [{}],
    [{ rootAgent: undefined }],
    [{ default: {} }],
    [{ default: () => rootAgent }],
    [{ app: { name: 'x' } }],
    [null],
  ])('returns undefined for a module without an agent: %o', async (module) => {
    expect(await readAgent(module, 'file')).toBeUndefined();
  });
});
