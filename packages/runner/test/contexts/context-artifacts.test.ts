import type { ToolContext } from '@thole/core';
import { InMemoryArtifactService } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { answersIn, createSetup, hello, outcomeOf, ref, rootOf, toolOf } from '../support/llm-setup.ts';

describe('Artifacts of a ToolContext', () => {
  it('pass the signal of the run to the artifact service', async () => {
    const signals = new Map<string, AbortSignal | undefined>();
    const recorder = new Proxy(new InMemoryArtifactService(), {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (p: { signal?: AbortSignal }) => {
          signals.set(String(name), p.signal);
          return (value as (p: unknown) => unknown).call(target, p);
        };
      },
    });
    const tool = toolOf('save', async (_, context) => {
      await context.saveArtifact('a.txt', { text: 'a' });
      await context.loadArtifact('a.txt');
      await context.listArtifacts();
      await context.deleteArtifact('a.txt');
      expect(new Set(signals.values())).toEqual(new Set([context.signal]));
    });
    const model = new ScriptedLlm(calls('save'), says('Saved.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }), { artifactService: recorder });
    const { events } = await outcomeOf(runner.runAsync(hello));
    expect(answersIn(events)).toEqual([['save', { result: null }]]);
    expect([...signals.keys()]).toEqual(['saveArtifact', 'loadArtifact', 'listArtifactKeys', 'deleteArtifact']);
  });

  it('are saved with metadata, listed and deleted in the session of the run', async () => {
    const listed: unknown[] = [];
    let context: ToolContext | undefined;
    const tool = toolOf('save', async (_, toolContext) => {
      context = toolContext;
      for (const name of ['a.txt', 'b.txt']) await context.saveArtifact(name, { text: name }, { from: 'save' });
      listed.push(await context.listArtifacts());
      await context.deleteArtifact('a.txt');
      listed.push(await context.listArtifacts());
    });
    const model = new ScriptedLlm(calls('save'), says('Saved.'));
    const { artifacts, runner } = await createSetup(rootOf(model, { tools: [tool] }));
    await runner.runToCompletion(hello);
    expect(listed).toEqual([['a.txt', 'b.txt'], ['b.txt']]);
    const version = await artifacts.getArtifactVersion({ ...ref, filename: 'b.txt' });
    expect(version).toMatchObject({ customMetadata: { from: 'save' } });
    await expect(context!.deleteArtifact('b.txt')).rejects.toMatchObject({ code: 'CONTEXT_CLOSED' });
    expect(await artifacts.listArtifactKeys(ref)).toEqual(['b.txt']);
  });
});
