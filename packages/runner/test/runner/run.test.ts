import { TholeError } from '@thole/core';
import type { Event } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { agentOf, counting, hello, houseOf, ref, says, saying, settle, textsIn } from '../support/runs.ts';

describe('a run', () => {
  it('stores the message first, then hands over each event as it was stored (contract 16)', async () => {
    const { runner, stored } = await houseOf(saying('root', 'one', 'two'));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(textsIn(events)).toEqual(['one', 'two']);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'two']);
    expect((await stored()).events[2]).toBe(events[1]);
  });

  it('goes on only when the next event is asked for, and from what was stored (contracts 16, 23)', async () => {
    const seen: string[] = [];
    const agent = agentOf('root', async function* (context) {
      const first = yield says(context, 'one');
      seen.push(`went on from ${first.seq}`);
      yield says(context, 'two');
    });
    const { runner } = await houseOf(agent);
    const run = runner.runAsync(hello);
    expect((await run.next()).value?.seq).toBe(2);
    await settle();
    expect(seen).toEqual([]);
    await run.next();
    expect(seen).toEqual(['went on from 2']);
    await run.return?.();
  });

  it('begins when it is first read, and not before (contract 23)', async () => {
    const { runner, stored } = await houseOf(saying('root', 'one'));
    const run = runner.runAsync(hello);
    await settle();
    expect((await stored()).events).toEqual([]);
    await run.done;
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one']);
  });

  it('begins at once when it is detached, and waits for nobody (contract 23)', async () => {
    const { runner, stored } = await houseOf(saying('root', 'one', 'two'));
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'two']);
    expect(textsIn(await Array.fromAsync(run))).toEqual(['one', 'two']);
  });

  it('reads nothing on turns two to n, a foreign write’s events alone after one (contract 13)', async () => {
    const { service, another } = await houseOf(saying('root', 'yes'));
    const counted = counting(service);
    const runner = another({ sessionService: counted.service });
    for (let turn = 0; turn < 5; turn++) await runner.runToCompletion(hello);
    expect(counted.reads).toEqual([{ afterSeq: undefined }]);
    await service.updateState({ ...ref, stateDelta: { mood: 'good' } });
    await runner.runToCompletion(hello);
    await runner.runToCompletion(hello);
    expect(counted.reads).toEqual([{ afterSeq: undefined }, { afterSeq: 10 }]);
  });

  it('reads nothing on turn two of a session it made itself, own writes to every scope included', async () => {
    const agent = agentOf('root', async function* (context) {
      context.state.set('app:a', 1);
      context.state.set('user:b', 1);
      context.state.set('c', 1);
      yield says(context, 'yes');
    });
    const { service, another } = await houseOf(agent);
    const counted = counting(service);
    const runner = another({ sessionService: counted.service, autoCreateSession: true });
    const fresh = { ...hello, sessionId: 'fresh' };
    await runner.runToCompletion(fresh);
    const first = counted.reads.length;
    await runner.runToCompletion(fresh);
    await runner.runToCompletion(fresh);
    expect(counted.reads.length).toBe(first);
  });

  it('sees foreign user and app state, though it moved no seq here', async () => {
    const seen: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      seen.push([context.state.get('user:theme'), context.state.get('app:motd')]);
      yield says(context, 'yes');
    });
    const { service, runner } = await houseOf(agent);
    await runner.runToCompletion(hello);
    const other = await service.createSession({ appName: 'app', userId: 'ann' });
    await service.updateState({
      appName: 'app',
      userId: 'ann',
      sessionId: other.id,
      stateDelta: { 'user:theme': 'dark', 'app:motd': 'hi' },
    });
    await runner.runToCompletion(hello);
    expect(seen).toEqual([
      [undefined, undefined],
      ['dark', 'hi'],
    ]);
  });

  it('gives hooks, tools and agents what earlier ones wrote, committed or not (contract 16)', async () => {
    const seen: unknown[] = [];
    const agent = agentOf(
      'root',
      async function* (context) {
        seen.push(context.state.get('a'));
        context.state.set('b', 2);
        const stored = yield says(context, 'yes');
        seen.push(stored.actions.stateDelta);
      },
      { beforeAgentCallback: ({ state }) => state.set('a', 1), afterAgentCallback: ({ state }) => state.set('c', 3) },
    );
    const { runner, stored } = await houseOf(agent);
    await runner.runToCompletion(hello);
    expect(seen).toEqual([1, { a: 1, b: 2 }]);
    expect((await stored()).state).toEqual({ a: 1, b: 2, c: 3 });
  });

  it('keeps temp: state for the invocation alone, the message’s own included (contract 4)', async () => {
    const seen: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      seen.push([context.state.get('temp:given'), context.state.get('temp:made')]);
      context.state.set('temp:made', 1);
      yield says(context, 'yes');
      seen.push([context.state.get('temp:given'), context.state.get('temp:made')]);
    });
    const { runner, stored } = await houseOf(agent);
    await runner.runToCompletion({ ...hello, stateDelta: { 'temp:given': 'x', kept: 'y' } });
    await runner.runToCompletion(hello);
    expect(seen).toEqual([
      ['x', undefined],
      ['x', 1],
      [undefined, undefined],
      [undefined, 1],
    ]);
    expect((await stored()).state).toEqual({ kept: 'y' });
    expect(JSON.stringify(await stored())).not.toContain('temp:');
  });

  it('throws for an unknown session with nothing stored, and makes it where it may', async () => {
    const { runner, another, service } = await houseOf(saying('root', 'yes'));
    const unknown = { ...hello, sessionId: 'unknown' };
    await expect(runner.runToCompletion(unknown)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await service.getSession({ ...ref, sessionId: 'unknown' })).toBeUndefined();
    const { text } = await another({ autoCreateSession: true }).runToCompletion(unknown);
    expect(text).toBe('yes');
  });

  it.each([
    ['an empty text', { newMessage: '' }],
    ['a message without parts', { newMessage: { parts: [] } }],
    ['a message of the wrong shape', { newMessage: { parts: [{ words: 'x' }] } as never }],
    ['a message that is a number', { newMessage: 7 as never }],
    ['a message by the model', { newMessage: { role: 'model' as const, parts: [{ text: 'x' }] } }],
    ['a cyclic value in state', { stateDelta: cyclic() }],
    ['an option that does not exist', { runConfig: { speed: 1 } as never }],
    ['a user without a name', { userId: '' }],
  ])('refuses %s before anything is stored, and the next turn works', async (_, wrong) => {
    const { runner, stored } = await houseOf(saying('root', 'yes'));
    await expect(runner.runToCompletion({ ...hello, ...wrong })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await stored()).events).toEqual([]);
    expect((await runner.runToCompletion(hello)).text).toBe('yes');
  });

  it('stores an error as a closing record, shows it, then throws it (contracts 22, 23)', async () => {
    const agent = agentOf('root', async function* (context) {
      yield says(context, 'one');
      throw new Error('broken');
    });
    const { runner, stored } = await houseOf(agent);
    const shown: Event[] = [];
    const reading = (async () => {
      for await (const event of runner.runAsync(hello)) shown.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'AGENT_FAILED' });
    expect(textsIn(shown)).toEqual(['one', '(AGENT_FAILED)']);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', '(AGENT_FAILED)']);
  });

  it('stores nothing that an agent still says while its stopped run closes (contract 23)', async () => {
    const closing = Promise.withResolvers<void>();
    const agent = agentOf('root', async function* (context) {
      context.onClose(() => closing.promise);
      yield says(context, 'one');
      const isAborted = new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()));
      await isAborted;
      await settle();
      yield says(context, 'too late');
    });
    const { runner, stored } = await houseOf(agent);
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    run.abort();
    await settle();
    await settle();
    closing.resolve();
    await run.done;
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', '(RUN_ABORTED)']);
  });

  it('gives its texts once each, streamed or whole', async () => {
    const agent = agentOf('root', async function* (context) {
      const whole = says(context, 'Hello');
      yield { ...whole, content: { role: 'model', parts: [{ text: 'Hel' }] }, partial: true };
      yield { ...whole, content: { role: 'model', parts: [{ text: 'lo' }] }, partial: true };
      yield whole;
      yield says(context, '!');
    });
    const { runner } = await houseOf(agent);
    expect(await Array.fromAsync(runner.runAsync(hello).text())).toEqual(['Hel', 'lo', '!']);
  });

  it('has one reader', async () => {
    const { runner } = await houseOf(saying('root', 'one'));
    const run = runner.runAsync(hello);
    const first = run[Symbol.asyncIterator]();
    expect(() => run[Symbol.asyncIterator]()).toThrow(TholeError);
    await first.return?.();
  });
});

function cyclic(): never {
  const value: { [key: string]: unknown } = {};
  value['self'] = value;
  return { a: value } as never;
}
