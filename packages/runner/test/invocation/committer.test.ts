import { textOf, TholeError } from '@thole/core';
import type { Content, Event, Plugin, SessionService } from '@thole/core';
import { calls, callsAll, says, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { Runner } from '../../src/runner/runner.ts';
import { answersIn, createSetup, hello, outcomeOf, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';

const contentOf = (text: string): Content => ({ role: 'model', parts: [{ text }] });

/** A plugin that replaces each `secret` in events by `#`. */
const redact: Plugin = {
  name: 'redact',
  onEventCallback: ({ event }) => JSON.parse(JSON.stringify(event).replaceAll('secret', '#')) as Event,
};

describe('onEventCallback', () => {
  it('redacts the user’s message for the store, the model and userContent (contract 16)', async () => {
    const seen: string[] = [];
    const model = new ScriptedLlm(says('Fine.'));
    const beforeAgentCallback = ({ userContent }: { userContent: Content }): void =>
      void seen.push(textOf(userContent));
    const { runner, stored } = await createSetup(rootOf(model, { beforeAgentCallback }), { plugins: [redact] });
    await runner.runToCompletion({ ...hello, newMessage: 'my secret' });
    expect(seen).toEqual(['my #']);
    expect(textOf(model.requests[0]!.contents[0])).toBe('my #');
    expect(JSON.stringify(await stored())).not.toContain('secret');
  });

  it('redacts answers of beforeRunCallback and closing records (contract 16)', async () => {
    let answer: Content | undefined = contentOf('a secret answer');
    const plugins: Plugin[] = [redact, { name: 'gate', beforeRunCallback: () => answer }];
    const agent = rootOf(new ScriptedLlm(new Error('x')), { instruction: '{secret_key}' });
    const { runner, stored } = await createSetup(agent, { plugins });
    expect((await runner.runToCompletion(hello)).text).toBe('a # answer');
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'root: a # answer']);
    answer = undefined;
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('STATE_KEY_MISSING');
    expect((await stored()).events.at(-1)!.errorMessage).toContain('the state key #_key');
  });

  it('redacts the finished work of an aborted run (contracts 16, 23)', async () => {
    const tools = [toolOf('quick', () => 'a secret'), toolOf('slow', () => new Promise(() => {}))];
    const setup = await createSetup(rootOf(new ScriptedLlm(callsAll(['quick'], ['slow'])), { tools }), {
      plugins: [redact],
    });
    const run = setup.runner.runAsync(hello);
    const ending = outcomeOf(run);
    await settle();
    run.abort();
    await ending;
    expect(answersIn((await setup.stored()).events)[0]).toEqual(['quick', { result: 'a #' }]);
  });
});

describe('runConfig.customMetadata', () => {
  it('is added to the message, partial events, progress, calls, answers and the last event', async () => {
    const look = toolOf('look', (_, context) => context.reportProgress('half'));
    const model = new ScriptedLlm(calls('look'), streams('Do', 'ne.'));
    const { runner } = await createSetup(rootOf(model, { tools: [look] }));
    const runConfig = { streamingMode: 'sse', customMetadata: { ticket: 7 } } as const;
    const events = await Array.fromAsync(runner.runAsync({ ...hello, yieldUserMessage: true, runConfig }));
    expect(events.map(({ author, partial }) => [author, partial === true])).toEqual([
      ['user', false],
      ['root', false],
      ['root', true],
      ['root', false],
      ['root', true],
      ['root', true],
      ['root', false],
    ]);
    expect(events.map(({ customMetadata }) => customMetadata?.['ticket'])).toEqual(events.map(() => 7));
    expect(events[2]!.customMetadata).toMatchObject({ progress: 'half', functionCallId: expect.any(String) });
  });

  it('is visible to onEventCallback in all events, and does not replace metadata of an event', async () => {
    const seen: unknown[] = [];
    const look = toolOf('look', (_, context) => context.reportProgress('half'));
    const noting: Plugin = {
      name: 'noting',
      onEventCallback: ({ event }) => void seen.push([event.partial === true, event.customMetadata?.['ticket']]),
    };
    const model = new ScriptedLlm(calls('look'), streams('Do', 'ne.'));
    const root = rootOf(model, {
      tools: [look],
      afterModelCallback: ({ response }) =>
        response.partial ? undefined : { ...response, customMetadata: { from: 'model' } },
    });
    const { runner } = await createSetup(root, { plugins: [noting] });
    const runConfig = { streamingMode: 'sse', customMetadata: { ticket: 7, from: 'run' } } as const;
    const events = await Array.fromAsync(runner.runAsync({ ...hello, runConfig }));
    expect(seen).toEqual([false, false, true, false, true, true, false].map((partial) => [partial, 7]));
    expect(events.map(({ customMetadata }) => customMetadata?.['from'])).toEqual([
      ...['model', 'run', 'run', 'run', 'run', 'model'],
    ]);
  });
});

describe('A session service that fails', () => {
  it('ends the run with its error, without a closing record (contract 22)', async () => {
    const { runner, sessions, stored } = await createSetup(rootOf(new ScriptedLlm(says('lost'), says('kept'))));
    const append = sessions.appendEvent.bind(sessions);
    let appends = 0;
    sessions.appendEvent = async (p) => {
      if (++appends === 2) throw new TholeError('STORE_UNAVAILABLE', 'The store is away.');
      return append(p);
    };
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('STORE_UNAVAILABLE');
    expect(appends).toBe(2);
    expect((await runner.runToCompletion(hello)).text).toBe('kept');
    expect(textsIn((await stored()).events)).toEqual([
      'user: hello',
      'system: RUN_SUPERSEDED',
      'user: hello',
      'root: kept',
    ]);
  });

  it('receives the same event again after an unknown outcome, and stores it once (contract 7)', async () => {
    const { runner, sessions, runtime, stored } = await createSetup(rootOf(new ScriptedLlm(says('kept'))));
    const append = sessions.appendEvent.bind(sessions);
    const ids: string[] = [];
    sessions.appendEvent = async (p) => {
      ids.push(p.event.id);
      const appended = await append(p);
      if (ids.length === 2) throw new TholeError('STORE_OUTCOME_UNKNOWN', 'The store did not answer in time.');
      return appended;
    };
    const ending = outcomeOf(runner.runAsync(hello));
    await runtime.advance(1_000);
    expect((await ending).error).toBeUndefined();
    expect(ids[2]).toBe(ids[1]);
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'root: kept']);
  });

  it('leaves the outcome unknown if it cannot be reached afterwards (contract 7)', async () => {
    for (const recovers of [true, false]) {
      const { runner, sessions, runtime } = await createSetup(rootOf(new ScriptedLlm(says('kept'))));
      const append = sessions.appendEvent.bind(sessions);
      let appends = 0;
      sessions.appendEvent = async (p) => {
        const attempt = ++appends - 1;
        const appended = await append(p);
        if (attempt === 1) throw new TholeError('STORE_OUTCOME_UNKNOWN', 'The store did not answer in time.');
        if (attempt > 1 && !(recovers && attempt === 3))
          throw new TholeError('STORE_UNAVAILABLE', 'The store is away.');
        return appended;
      };
      const ending = outcomeOf(runner.runAsync(hello));
      await runtime.advance(10_000);
      expect((await ending).error?.code).toBe(recovers ? undefined : 'STORE_OUTCOME_UNKNOWN');
    }
  });

  it.each(['getSession', 'appendEvent'])(
    'becomes STORE_UNAVAILABLE if %s throws an error without a code (contract 22)',
    async (method) => {
      const { runner, runtime, sessions } = await createSetup(rootOf(new ScriptedLlm(says('fine'), says('fine'))));
      const broken = new Proxy(sessions as SessionService, {
        get(target, name) {
          if (name === method) return () => Promise.reject(new Error('disk failure'));
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? (value as (p: unknown) => unknown).bind(target) : value;
        },
      });
      const failing = new Runner({ appName: 'app', agent: runner.agent, sessionService: broken, runtime });
      await expect(failing.runToCompletion(hello)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        cause: expect.objectContaining({ message: 'disk failure' }),
      });
      expect((await runner.runToCompletion(hello)).text).toBe('fine');
    },
  );
});
