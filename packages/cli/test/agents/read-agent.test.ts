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
    ['an agent by default', { default: rootAgent }, 'app', 'file'],
    ['an app by default', { default: app }, 'app', 'shop'],
    ['a runner by default', { default: runner }, 'runner', 'own'],
    ['what CommonJS exports', { default: { rootAgent } }, 'app', 'file'],
    ['rootAgent where app is something else', { app: 'x', rootAgent }, 'app', 'file'],
  ])('takes %s', async (_, module, kind, name) => {
    expect(await readAgent(module, 'file')).toMatchObject({ kind, name });
  });

  it.each([
    [{}],
    [{ rootAgent: undefined }],
    [{ default: {} }],
    [{ default: () => rootAgent }],
    [{ app: { name: 'x' } }],
    [null],
  ])('answers undefined for what is no agent: %o', async (module) => {
    expect(await readAgent(module, 'file')).toBeUndefined();
  });
});
