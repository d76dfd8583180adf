import { createEvent, textOf, TholeError } from '@thole/core';
import type { Agent, Content, Event, InvocationContext, Plugin, State, Tool } from '@thole/core';
import { calls, callsAll, fails, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { answersIn, hello, houseOf, outcomeOf, ref, rootOf, settle, textsIn, toolOf } from '../support/llm-house.ts';

const broken = (): never => {
  throw new Error('broken');
};
const wordsOf = (text: string): Content => ({ role: 'model', parts: [{ text }] });

/** Puts `#` in the place of every secret, wherever it comes by. */
const redact: Plugin = {
  name: 'redact',
  onEventCallback: ({ event }) => JSON.parse(JSON.stringify(event).replaceAll('secret', '#')) as Event,
};

describe('the one way into a session', () => {
  it('redacts the user’s message before it is stored, shown to the model, or read as userContent (contract 16)', async () => {
    const seen: string[] = [];
    const model = new ScriptedLlm(says('Fine.'));
    const beforeAgentCallback = ({ userContent }: { userContent: Content }): void =>
      void seen.push(textOf(userContent));
    const { runner, stored } = await houseOf(rootOf(model, { beforeAgentCallback }), { plugins: [redact] });
    await runner.runToCompletion({ ...hello, newMessage: 'my secret' });
    expect(seen).toEqual(['my #']);
    expect(textOf(model.requests[0]!.contents[0])).toBe('my #');
    expect(JSON.stringify(await stored())).not.toContain('secret');
  });

  it('redacts what beforeRunCallback answers in the place of the agent, and closing records (contract 16)', async () => {
    let answer: Content | undefined = wordsOf('a secret answer');
    const plugins: Plugin[] = [redact, { name: 'gate', beforeRunCallback: () => answer }];
    const agent = rootOf(new ScriptedLlm(new Error('x')), { instruction: '{secret_key}' });
    const { runner, stored } = await houseOf(agent, { plugins });
    expect((await runner.runToCompletion(hello)).text).toBe('a # answer');
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'root: a # answer']);
    answer = undefined;
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('STATE_KEY_MISSING');
    expect((await stored()).events.at(-1)!.errorMessage).toContain('the state key #_key');
  });

  it('redacts what was finished when a run is aborted (contracts 16, 23)', async () => {
    const tools = [toolOf('quick', () => 'a secret'), toolOf('slow', () => new Promise(() => {}))];
    const house = await houseOf(rootOf(new ScriptedLlm(callsAll(['quick'], ['slow'])), { tools }), {
      plugins: [redact],
    });
    const run = house.runner.runAsync(hello);
    const ending = outcomeOf(run);
    await settle();
    run.abort();
    await ending;
    expect(answersIn((await house.stored()).events)[0]).toEqual(['quick', { result: 'a #' }]);
  });

  it('forgets what was written but not committed when a run fails (contract 16)', async () => {
    const agent = rootOf(new ScriptedLlm(fails('MODEL_OVERLOADED'), says('Back.')), {
      instruction: 'Saw {seen?}.',
      beforeModelCallback: ({ context }) => context.state.set('seen', (context.state.get<number>('seen') ?? 0) + 1),
    });
    const { runner, stored } = await houseOf(agent);
    await outcomeOf(runner.runAsync(hello));
    expect((await stored()).state).toEqual({});
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ seen: 1 });
  });

  it('lets branches see each other’s writes once they are committed, temp: at once (contract 16)', async () => {
    const seen: unknown[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const done = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const look = ({ state }: { state: State }): void => void seen.push([state.get('k'), state.get('temp:k')]);
    const writer = agentNamed('writer', async function* (context) {
      context.state.set('k', 1);
      context.state.set('temp:k', 1);
      gates[0].resolve();
      await done[0].promise;
      yield saying(context, 'written');
      gates[1].resolve();
      await done[1].promise;
    });
    const reader = agentNamed('reader', async function* (context) {
      await gates[0].promise;
      look(context);
      done[0].resolve();
      await gates[1].promise;
      look(context);
      done[1].resolve();
    });
    const { runner, stored } = await houseOf(new ParallelAgent({ name: 'root', subAgents: [writer, reader] }));
    await runner.runToCompletion(hello);
    expect(seen).toEqual([
      [undefined, 1],
      [1, 1],
    ]);
    expect((await stored()).state).toEqual({ k: 1 });
  });

  it('lets calls of one turn see each other’s writes once they are committed, temp: at once (contract 16)', async () => {
    const seen: unknown[] = [];
    const written = Promise.withResolvers<void>();
    const seenFirst = Promise.withResolvers<void>();
    const write = toolOf('write', async (_args, { state }) => {
      state.set('k', 1);
      state.set('temp:k', 1);
      written.resolve();
      await seenFirst.promise;
    });
    const read = toolOf('read', async (_args, { state }) => {
      await written.promise;
      seen.push([state.get('k'), state.get('temp:k')]);
      seenFirst.resolve();
      await settle();
      seen.push([state.get('k'), state.get('temp:k')]);
    });
    const { runner } = await houseOf(
      rootOf(new ScriptedLlm(callsAll(['write'], ['read']), says('x')), { tools: [write, read] }),
    );
    await runner.runToCompletion(hello);
    expect(seen).toEqual([
      [undefined, 1],
      [1, 1],
    ]);
  });
});

describe('what hooks write', () => {
  const script = () => new ScriptedLlm(callsAll(['look'], ['fail']), fails('MODEL_OVERLOADED'));
  const tools = (): Tool[] => [toolOf('look', () => 1), toolOf('fail', broken)];
  const mend: Plugin = {
    name: 'mend',
    onModelErrorCallback: () => says('Mended.'),
    onToolErrorCallback: () => ({ mended: true }),
  };

  it.each([
    'onUserMessageCallback',
    'beforeRunCallback',
    'onEventCallback',
    'beforeAgentCallback',
    'afterAgentCallback',
    'beforeModelCallback',
    'afterModelCallback',
    'onModelErrorCallback',
    'beforeToolCallback',
    'afterToolCallback',
    'onToolErrorCallback',
    'selectHistoryCallback',
    'afterRunCallback',
  ] as const)('in a plugin’s %s reaches the store (contract 21)', async (hook) => {
    const write = (p: { [name: string]: { state?: State } | undefined }): void => {
      const context = p['invocationContext'] ?? p['callbackContext'] ?? p['toolContext'];
      context!.state!.set(hook, true);
    };
    const plugins: Plugin[] = [{ name: 'writer', [hook]: write }, mend];
    const { runner, stored } = await houseOf(rootOf(script(), { tools: tools() }), { plugins });
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ [hook]: true });
  });

  it.each([
    'beforeAgentCallback',
    'afterAgentCallback',
    'beforeModelCallback',
    'afterModelCallback',
    'onModelErrorCallback',
    'beforeToolCallback',
    'afterToolCallback',
    'onToolErrorCallback',
  ] as const)('in an agent’s %s reaches the store (contract 21)', async (hook) => {
    const write = (p: { state?: State; context?: { state: State } }): void =>
      (p.state ?? p.context!.state).set(hook, true);
    const mending = {
      onModelErrorCallback: [() => says('Mended.')],
      onToolErrorCallback: [() => ({ mended: true })],
    };
    const { [hook as 'onToolErrorCallback']: others = [] } = mending;
    const agent = rootOf(script(), { tools: tools(), ...mending, [hook]: [write, ...others] });
    const { runner, stored } = await houseOf(agent);
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ [hook]: true });
  });

  it('is written though the run ends with the hook’s own answer (contract 21)', async () => {
    const agent = rootOf(new ScriptedLlm(), {
      beforeAgentCallback: ({ state }) => (state.set('asked', 1), wordsOf('Closed today.')),
    });
    const { runner, stored } = await houseOf(agent);
    expect((await runner.runToCompletion(hello)).text).toBe('Closed today.');
    expect((await stored()).state).toEqual({ asked: 1 });
  });
});

describe('the order of hooks', () => {
  it('asks plugins before the agent’s own, around errors too, sync and async alike (contract 21)', async () => {
    const seen: string[] = [];
    const names = [
      'beforeModelCallback',
      'afterModelCallback',
      'onModelErrorCallback',
      'beforeToolCallback',
      'afterToolCallback',
      'onToolErrorCallback',
    ] as const;
    const note = (who: string, answer?: (name: string) => unknown) =>
      Object.fromEntries(names.map((name) => [name, async () => (seen.push(`${who} ${name}`), answer?.(name))]));
    const mend = (name: string): unknown =>
      ({ onModelErrorCallback: says('Mended.'), onToolErrorCallback: { mended: true } } as { [name: string]: unknown })[
        name
      ];
    const agent = rootOf(new ScriptedLlm(calls('fail'), fails('MODEL_OVERLOADED')), {
      tools: [toolOf('fail', broken)],
      ...note('agent', mend),
    });
    const plugins = [{ name: 'p', ...note('plugin') }];
    const { runner } = await houseOf(agent, { plugins });
    await runner.runToCompletion(hello);
    const both = (name: string): string[] => [`plugin ${name}`, `agent ${name}`];
    expect(seen).toEqual(
      [
        'beforeModelCallback',
        'afterModelCallback',
        'beforeToolCallback',
        'onToolErrorCallback',
        'afterToolCallback',
        'beforeModelCallback',
        'onModelErrorCallback',
        'afterModelCallback',
      ].flatMap(both),
    );
  });

  it.each(['beforeAgentCallback', 'afterAgentCallback'] as const)(
    'of a list in %s takes the first answer, asks no further, and a plugin’s answer comes before all (contract 21)',
    async (hook) => {
      const list = [(): undefined => undefined, async () => wordsOf('second'), (): never => expect.unreachable()];
      const textOfRun = async (plugins: Plugin[]): Promise<string> => {
        const { runner } = await houseOf(rootOf(new ScriptedLlm(says('model')), { [hook]: list }), { plugins });
        return (await runner.runToCompletion(hello)).text;
      };
      expect(await textOfRun([])).toBe('second');
      expect(await textOfRun([{ name: 'p', [hook]: () => wordsOf('plugin') }])).toBe('plugin');
    },
  );

  it('lets onUserMessageCallback replace the message before anything else sees it (contract 21)', async () => {
    const model = new ScriptedLlm(says('x'));
    const seen: Content[] = [];
    const replace: Plugin = {
      name: 'p',
      onUserMessageCallback: () => ({ parts: [{ text: 'instead' }] }),
      onEventCallback: ({ invocationContext }) => void seen.push(invocationContext.userContent),
    };
    const { runner, stored } = await houseOf(rootOf(model), { plugins: [replace] });
    await runner.runToCompletion(hello);
    const instead = { role: 'user', parts: [{ text: 'instead' }] };
    expect(seen).toEqual([instead, instead]);
    expect(model.requests[0]!.contents).toEqual([instead]);
    expect(textsIn((await stored()).events)[0]).toBe('user: instead');
  });

  it('saves the files of a message as artifacts where it is asked to, and stores, shows and tells a line for each', async () => {
    const model = new ScriptedLlm(says('Seen.'));
    const seen: Content[] = [];
    const listen: Plugin = {
      name: 'p',
      onEventCallback: ({ event, invocationContext }) =>
        void (event.author === 'user' && seen.push(invocationContext.userContent)),
    };
    const { runner, artifacts, stored } = await houseOf(rootOf(model), { plugins: [listen] });
    const file = (displayName?: string) => ({ inlineData: { mimeType: 'image/png', data: 'AAAA', displayName } });
    const newMessage = { parts: [{ text: 'Look.' }, file('view.png'), file()] };
    await runner.runToCompletion({ ...hello, newMessage, runConfig: { saveInputBlobsAsArtifacts: true } });
    const [first] = (await stored()).events;
    const names = ['view.png', `upload-${first!.invocationId}-2`];
    const lines = names.map(
      (name) => `[The user uploaded the file "${name}". It is saved as an artifact with this name.]`,
    );
    const message = { role: 'user', parts: ['Look.', ...lines].map((text) => ({ text })) };
    expect([first!.content, seen[0], model.requests[0]!.contents[0]]).toEqual([message, message, message]);
    expect(first!.actions.artifactDelta).toEqual(Object.fromEntries(names.map((name) => [name, 0])));
    const saved = await artifacts.loadArtifact({ ...ref, filename: 'view.png' });
    expect(saved?.inlineData?.data).toBe('AAAA');
  });
});

describe('what a run opens and leaves alone', () => {
  it('closes what an agent opened, however the run ends, and runs its finally (contracts 23, 24)', async () => {
    const closed: string[] = [];
    const agent = agentNamed('root', async function* (context) {
      context.onClose(() => void closed.push('closed'));
      try {
        yield saying(context, 'one');
        yield saying(context, 'two');
      } finally {
        closed.push('finally');
      }
    });
    const { runner } = await houseOf(agent);
    await runner.runToCompletion(hello);
    for await (const event of runner.runAsync(hello)) if (event.content) break;
    const run = runner.runAsync(hello);
    await run.next();
    run.abort();
    await run.done;
    expect(closed.toSorted()).toEqual(['closed', 'closed', 'closed', 'finally', 'finally', 'finally']);
  });

  it('changes nothing of an agent: a frozen one serves two runs at once, each with its own history (contract 24)', async () => {
    const model = new ScriptedLlm(calls('look'), calls('look'), says('x'), says('x'));
    const agent = Object.freeze(
      rootOf(model, { tools: [Object.freeze(toolOf('look', () => 1))], instruction: 'Help.' }),
    );
    const { runner, sessions } = await houseOf(agent);
    await sessions.createSession({ ...ref, sessionId: 'other' });
    const both = ['s', 'other'].map((sessionId) =>
      runner.runToCompletion({ ...hello, sessionId, newMessage: sessionId }),
    );
    expect((await Promise.all(both)).map(({ text }) => text)).toEqual(['x', 'x']);
    expect(model.requests.map(({ contents }) => textOf(contents[0])).toSorted()).toEqual(['other', 'other', 's', 's']);
  });

  it('gives a message without a role the user’s (F025)', async () => {
    const { runner, stored } = await houseOf(rootOf(new ScriptedLlm(says('x'))));
    await runner.runToCompletion({ ...hello, newMessage: { parts: [{ text: 'hi' }] } });
    expect((await stored()).events[0]!.content).toEqual({ role: 'user', parts: [{ text: 'hi' }] });
  });
});

describe('a store that fails', () => {
  it('in the middle of a run: its own error is thrown, no error event is tried, and the next turn works (contract 22)', async () => {
    const { runner, sessions, stored } = await houseOf(rootOf(new ScriptedLlm(says('lost'), says('kept'))));
    const append = sessions.appendEvent.bind(sessions);
    let appends = 0;
    sessions.appendEvent = async (p) => {
      if (++appends === 2) throw new TholeError('STORE_UNAVAILABLE', 'The store is away.');
      return append(p);
    };
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('STORE_UNAVAILABLE');
    expect(appends).toBe(2);
    expect((await runner.runToCompletion(hello)).text).toBe('kept');
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'user: hello', 'root: kept']);
  });

  it('to say whether it has stored an event: the same id is tried again, and the event stands there once (contract 7)', async () => {
    const { runner, sessions, runtime, stored } = await houseOf(rootOf(new ScriptedLlm(says('kept'))));
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

  it('to say whether it has stored an event, and then cannot be asked: that is no failure, it stays unknown (contract 7)', async () => {
    for (const comesBack of [true, false]) {
      const { runner, sessions, runtime } = await houseOf(rootOf(new ScriptedLlm(says('kept'))));
      const append = sessions.appendEvent.bind(sessions);
      let appends = 0;
      sessions.appendEvent = async (p) => {
        const attempt = ++appends - 1;
        const appended = await append(p);
        if (attempt === 1) throw new TholeError('STORE_OUTCOME_UNKNOWN', 'The store did not answer in time.');
        if (attempt > 1 && !(comesBack && attempt === 3))
          throw new TholeError('STORE_UNAVAILABLE', 'The store is away.');
        return appended;
      };
      const ending = outcomeOf(runner.runAsync(hello));
      await runtime.advance(10_000);
      expect((await ending).error?.code).toBe(comesBack ? undefined : 'STORE_OUTCOME_UNKNOWN');
    }
  });
});

describe('records of rewinds and compactions in a history', () => {
  const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
  const summary = (startSeq: number, endSeq: number, eventIds: string[]) => ({
    startSeq,
    endSeq,
    eventIds,
    startTimestamp: 0,
    endTimestamp: 0,
    compactedContent: wordsOf('They talked of rooms.'),
  });

  it('a rewind takes its invocation from the model’s sight, also while the session is hot (contract 27)', async () => {
    const model = new ScriptedLlm(says('one'), says('two'), says('three'));
    const { runner, sessions } = await houseOf(rootOf(model));
    await runner.runToCompletion({ ...hello, newMessage: 'first' });
    const { events } = await runner.runToCompletion({ ...hello, newMessage: 'second' });
    const session = (await sessions.getSession(ref))!;
    const rewindBeforeInvocationId = events[0]!.invocationId;
    const marker = createEvent({
      id: 'm',
      invocationId: 'i',
      author: 'user',
      timestamp: 1,
      actions: { rewindBeforeInvocationId },
    });
    await sessions.appendEvent({ session, event: marker });
    await runner.runToCompletion({ ...hello, newMessage: 'third' });
    expect(model.requests[2]!.contents.map(textOf)).toEqual(['first', 'one', 'third']);
  });

  it('a compaction record shows its summary in the place of what it covers (contract 26)', async () => {
    const model = new ScriptedLlm(says('one'), says('two'));
    const { runner, sessions } = await houseOf(rootOf(model));
    await runner.runToCompletion({ ...hello, newMessage: 'first' });
    const session = (await sessions.getSession(ref))!;
    const compaction = summary(
      1,
      2,
      session.events.map(({ id }) => id),
    ) as never;
    const event = { id: 'c', invocationId: 'i', author: 'system', timestamp: 1, actions: { ...actions, compaction } };
    await sessions.appendEvent({ session, event });
    await runner.runToCompletion({ ...hello, newMessage: 'second' });
    const texts = model.requests[1]!.contents.map(textOf);
    expect(texts.length).toBe(2);
    expect(texts[0]).toContain('They talked of rooms.');
    expect(texts[1]).toBe('second');
  });

  it('neither is honoured where a tool writes it (contract 26)', async () => {
    const plant = toolOf('plant', (_args, { actions: own, history }) => {
      const ids = [...history].map(({ id }) => id);
      Object.assign(own, { compaction: summary(1, 1, ids), rewindBeforeInvocationId: history.at(0)!.invocationId });
    });
    const model = new ScriptedLlm(calls('plant'), says('one'), says('two'));
    const { runner } = await houseOf(rootOf(model, { tools: [plant] }));
    await runner.runToCompletion({ ...hello, newMessage: 'first' });
    await runner.runToCompletion({ ...hello, newMessage: 'second' });
    expect(textOf(model.requests[2]!.contents[0])).toBe('first');
    expect(JSON.stringify(model.requests[2])).not.toContain('talked of rooms');
  });
});

function agentNamed(name: string, runAsync: (context: InvocationContext) => AsyncGenerator<Event, void, Event>): Agent {
  return { name, runAsync };
}

function saying({ agentName, invocationId, runtime }: InvocationContext, text: string): Event {
  return createEvent({ author: agentName, invocationId, content: wordsOf(text) }, runtime);
}
