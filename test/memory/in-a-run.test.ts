import { getFunctionCalls, textOf, TholeError } from '@thole/core';
import type { LlmRequest, MemoryEntry, MemoryService, Plugin, Session, SessionRef } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import {
  AutoIngestPlugin,
  IdleConsolidator,
  ProfilePlugin,
  RedactingMemoryService,
  SessionWindowPlugin,
} from '@thole/memory';
import type { AutoIngestPluginOptions } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import type { FactExtractor } from '@thole/memory/facts';
import { AgentTool, LlmAgent, Runner } from '@thole/runner';
import { calls, fails, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { FunctionTool, LOAD_MEMORY, LongRunningFunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const ann = { appName: 'hotel', userId: 'ann' };

class MemorySetup {
  readonly runtime = new FixedRuntime();
  readonly sessions = new InMemorySessionService({ runtime: this.runtime });
  readonly memory = new InMemoryMemoryService({ runtime: this.runtime });
  model = new ScriptedLlm();

  runner(
    plugins: Plugin[],
    answers: ScriptedAnswer[],
    more: { memory?: MemoryService; tools?: LlmAgent['tools'] } = {},
  ): Runner {
    this.model = new ScriptedLlm(...answers);
    const agent = new LlmAgent({ name: 'concierge', model: this.model, tools: more.tools ?? [] });
    const { sessions: sessionService, runtime } = this;
    const memoryService = more.memory ?? this.memory;
    return new Runner({
      appName: 'hotel',
      agent,
      plugins,
      sessionService,
      memoryService,
      autoCreateSession: true,
      runtime,
    });
  }

  async remembered(user = ann): Promise<string[]> {
    return texts((await this.memory.listMemories({ ...user, limit: 1000 })).memories);
  }
}

const texts = (entries: readonly MemoryEntry[]): string[] => entries.map(({ content }) => textOf(content));
const turn = (runner: Runner, newMessage: string, sessionId: string = 's1') =>
  runner.runToCompletion({ userId: 'ann', sessionId, newMessage });
const shown = ({ contents }: LlmRequest): string[] => contents.map(textOf);

function fail(): never {
  throw new TholeError('STORE_UNAVAILABLE', 'Down.');
}

describe('AutoIngestPlugin', () => {
  function createPlugin(setup: MemorySetup, options: Partial<AutoIngestPluginOptions> = {}) {
    const { sessions, memory, runtime } = setup;
    return new AutoIngestPlugin({ sessions, memory, runtime, ...options });
  }

  it('adds the turns of each run to memory, once and in order', async () => {
    const setup = new MemorySetup();
    const plugin = createPlugin(setup);
    const runner = setup.runner([plugin], [says('Noted: tea.'), says('Noted: milk.')]);
    await turn(runner, 'I like tea.');
    await turn(runner, 'With milk.');
    expect(await setup.remembered(), 'the runs do not wait for memory').toEqual([]);
    await plugin.flush();
    expect(await setup.remembered()).toEqual(['I like tea.', 'Noted: tea.', 'With milk.', 'Noted: milk.']);
    await runner.close();
  });

  it.each([
    ['throws', (): never => fail()],
    ['rejects', async (): Promise<never> => fail()],
  ] as const)('leaves no timer active if memory %s', async (_, failing) => {
    const setup = new MemorySetup();
    setup.memory.addEventsToMemory = failing;
    const plugin = createPlugin(setup, { maxAttempts: 1 });
    const runner = setup.runner([plugin], [says('Noted.')]);
    await turn(runner, 'I like tea.');
    await setup.runtime.advance(100);
    await plugin.flush();
    expect(setup.runtime.logs.map(({ message }) => message)).toEqual(['Events could not be added to memory.']);
    await runner.close();
    expect(setup.runtime.pending).toBe(0);
  });

  it('works in the background: the run ends before memory has stored its turns', async () => {
    const setup = new MemorySetup();
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const add = setup.memory.addEventsToMemory.bind(setup.memory);
    setup.memory.addEventsToMemory = async (p) => {
      await gate;
      await add(p);
    };
    const plugin = createPlugin(setup);
    const runner = setup.runner([plugin], [says('Noted.')]);
    await turn(runner, 'I like tea.');
    expect(await setup.remembered()).toEqual([]);
    go();
    await plugin.flush();
    expect(await setup.remembered()).toHaveLength(2);
  });

  it('adds only new events, and only those of the run for an unknown session', async () => {
    const setup = new MemorySetup();
    const added: string[][] = [];
    const memory: MemoryService = {
      addSessionToMemory: async () => {},
      searchMemory: async () => ({ memories: [] }),
      addEventsToMemory: async ({ events }) => void added.push(events.map(({ content }) => textOf(content))),
    };
    await turn(setup.runner([], [says('Before.')]), 'Long ago.');
    const plugin = createPlugin(setup, { memory });
    const runner = setup.runner([plugin], [says('One.'), says('Two.')]);
    for (const message of ['First.', 'Second.']) {
      await turn(runner, message);
      await plugin.flush();
    }
    expect(added).toEqual([
      ['First.', 'One.'],
      ['Second.', 'Two.'],
    ]);
  });

  it('starts again with a session that was deleted and created again under its id', async () => {
    const setup = new MemorySetup();
    const plugin = createPlugin(setup);
    const runner = setup.runner([plugin], [says('1'), says('2'), says('3'), says('4'), says('5')]);
    for (const message of ['One.', 'Two.']) await turn(runner, message);
    await plugin.flush();
    await runner.deleteSession({ userId: 'ann', sessionId: 's1' });
    for (const message of ['Three.', 'Four.', 'Five.']) await turn(runner, message);
    await plugin.flush();
    expect(await setup.remembered()).toHaveLength(10);
  });

  it('skips turns that were rewound, also before the events that it reads', async () => {
    const setup = new MemorySetup();
    const plugin = createPlugin(setup);
    const runner = setup.runner([plugin], [says('1'), says('2'), says('3'), says('4')]);
    const one = await turn(runner, 'One.');
    const two = await turn(runner, 'Two.');
    await runner.rewind({ userId: 'ann', sessionId: 's1', rewindBeforeInvocationId: two.invocationId });
    await plugin.flush();
    expect(await setup.remembered()).toEqual(['One.', '1']);
    await turn(runner, 'Three.');
    await runner.rewind({ userId: 'ann', sessionId: 's1', rewindBeforeInvocationId: one.invocationId });
    await turn(runner, 'Four.');
    await plugin.flush();
    expect(await setup.remembered()).toEqual(['Four.', '4']);
  });

  it('skips events that were copied from another session', async () => {
    const setup = new MemorySetup();
    await turn(setup.runner([], [says('1')]), 'One.');
    const plugin = createPlugin(setup);
    const runner = setup.runner([plugin], [says('2'), says('3')]);
    await turn(runner, 'Two.', 's2');
    await plugin.flush();
    await runner.deleteSession({ userId: 'ann', sessionId: 's2' });
    // The plugin knows this id, and reads the new session from its beginning.
    await runner.fork({ userId: 'ann', sessionId: 's1', newSessionId: 's2' });
    await turn(runner, 'Three.', 's2');
    await plugin.flush();
    expect(await setup.remembered()).toEqual(['Two.', '2', 'Three.', '3']);
  });

  it('adds nothing of ephemeral runs and of agents that run as tools', async () => {
    const setup = new MemorySetup();
    const plugin = createPlugin(setup);
    const { sessions, memory, runtime } = setup;
    const consolidator = new IdleConsolidator({ sessions, memory, runtime });
    const helper = new LlmAgent({ name: 'helper', model: new ScriptedLlm(says('Done.')) });
    const answers = [says('Hello.'), calls('helper', { request: 'Tell the user’s secret.' }), says('Good.')];
    const runner = setup.runner([plugin, consolidator], answers, { tools: [new AgentTool({ agent: helper })] });
    for await (const _ of runner.runEphemeral({ userId: 'ann', newMessage: 'A secret.' }));
    await turn(runner, 'Ask the helper.');
    await plugin.flush();
    expect(await setup.remembered()).toEqual(['Ask the helper.', 'Good.']);
    expect((await setup.sessions.listSessions(ann)).total).toBe(1);
    await setup.runtime.advance(60 * 60_000);
    expect(await setup.remembered()).toEqual(['Ask the helper.', 'Good.']);
  });

  it('retries in order after a failure, reports lost turns and adds them in the next run', async () => {
    const setup = new MemorySetup();
    const failures: SessionRef[] = [];
    const add = setup.memory.addEventsToMemory.bind(setup.memory);
    let left = 1;
    setup.memory.addEventsToMemory = async (p) => {
      if (left-- > 0) throw new TholeError('STORE_UNAVAILABLE', 'The store is gone.');
      await add(p);
    };
    const plugin = createPlugin(setup, { maxAttempts: 2, onError: ({ session }) => failures.push(session) });
    const runner = setup.runner([plugin], [says('1'), says('2'), says('3')]);
    await turn(runner, 'One.');
    await setup.runtime.advance(2_000);
    expect([await setup.remembered(), failures]).toEqual([['One.', '1'], []]);
    left = 2;
    await turn(runner, 'Two.');
    await setup.runtime.advance(2_000);
    expect([(await setup.remembered()).length, failures]).toEqual([2, [{ ...ann, sessionId: 's1' }]]);
    await turn(runner, 'Three.');
    await plugin.flush();
    expect(await setup.remembered()).toEqual(['One.', '1', 'Two.', '2', 'Three.', '3']);
  });

  it('logs turns beyond the queue’s limit and adds them in the session’s next run', async () => {
    const setup = new MemorySetup();
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const add = setup.memory.addEventsToMemory.bind(setup.memory);
    setup.memory.addEventsToMemory = async (p) => {
      await gate;
      await add(p);
    };
    const plugin = createPlugin(setup, { maxWaiting: 1 });
    const runner = setup.runner([plugin], [says('a'), says('b'), says('c'), says('e'), says('d')]);
    for (const id of ['s1', 's2', 's3']) {
      await turn(runner, `In ${id}.`, id);
      await setup.runtime.advance(20);
    }
    expect(setup.runtime.logs.map(({ fields }) => fields?.['sessionId'])).toEqual(['s3']);
    await turn(runner, 'Again in s2.', 's2');
    expect(setup.runtime.logs, 'this session is already in the queue').toHaveLength(1);
    go();
    await plugin.flush();
    expect(await setup.remembered()).toEqual(['In s1.', 'a', 'In s2.', 'b', 'Again in s2.', 'e']);
    await turn(runner, 'Again in s3.', 's3');
    await plugin.flush();
    expect((await setup.remembered()).slice(6)).toEqual(['In s3.', 'c', 'Again in s3.', 'd']);
  });

  it('stops waiting for a memory that never answers, and continues with the next session', async () => {
    const setup = new MemorySetup();
    const failures: unknown[] = [];
    const add = setup.memory.addEventsToMemory.bind(setup.memory);
    setup.memory.addEventsToMemory = (p) => (p.sessionId === 's1' ? new Promise(() => {}) : add(p));
    const plugin = createPlugin(setup, { maxAttempts: 1, onError: ({ error }) => failures.push(error) });
    const runner = setup.runner([plugin], [says('a'), says('b')]);
    for (const id of ['s1', 's2']) await turn(runner, `In ${id}.`, id);
    await setup.runtime.advance(31_000);
    await plugin.flush();
    expect(await setup.remembered()).toEqual(['In s2.', 'b']);
    expect(failures).toMatchObject([{ code: 'STORE_OUTCOME_UNKNOWN' }]);
  });

  it('waits for the queue and for one more attempt of failures when the runner closes', async () => {
    const setup = new MemorySetup();
    const runner = setup.runner([createPlugin(setup)], [says('Noted.')]);
    await turn(runner, 'I like tea.');
    await runner.close();
    expect(await setup.remembered()).toHaveLength(2);
    setup.memory.addEventsToMemory = () => Promise.reject(new Error('gone'));
    const failing = setup.runner([createPlugin(setup)], [says('Noted.')]);
    await turn(failing, 'And milk.');
    await failing.close();
    expect(setup.runtime.pending).toBe(0);
  });

  it('adds turns at once to a FactMemoryService, which makes facts after the idle time', async () => {
    const setup = new MemorySetup();
    const { runtime, sessions } = setup;
    const operations = [{ op: 'add', text: 'Likes tea.', evidence: ['t1'] }];
    const memory = new FactMemoryService({
      ...{ memory: setup.memory, runtime, leasing: sessions.leasing },
      llm: new ScriptedLlm(says(JSON.stringify({ operations }))),
    });
    const plugin = createPlugin(setup, { memory });
    const consolidator = new IdleConsolidator({ sessions, memory, runtime });
    const runner = setup.runner([plugin, consolidator], [says('Noted.')], { memory });
    await turn(runner, 'I like tea.');
    await plugin.flush();
    expect(await setup.remembered()).toEqual(['I like tea.', 'Noted.']);
    await runtime.advance(30 * 60_000);
    expect(texts((await memory.listMemories(ann)).memories)).toEqual(['Likes tea.']);
    expect(await sessions.getSession({ ...ann, sessionId: 's1' })).toBeUndefined();
  });

  it.each(['FactMemoryService', 'RedactingMemoryService'])(
    'waits as long as the model of a %s may take, and calls it once',
    async (name) => {
      const setup = new MemorySetup();
      const { runtime } = setup;
      let count = 0;
      const extractor: FactExtractor = {
        specVersion: 1,
        async extract({ turns }, { signal }) {
          count++;
          await runtime.sleep(59_000, signal);
          return [{ op: 'add', text: 'Likes tea.', evidence: [turns[0]!.id] }];
        },
      };
      const facts = new FactMemoryService({ memory: setup.memory, runtime, extractor, extractFromEvents: true });
      const memory =
        name === 'FactMemoryService' ? facts : new RedactingMemoryService({ memory: facts, redact: String });
      const runner = setup.runner([createPlugin(setup, { memory })], [says('Noted.')], { memory });
      await turn(runner, 'I like tea.');
      await runtime.advance(120_000);
      expect(texts((await memory.listMemories(ann)).memories)).toEqual(['Likes tea.']);
      expect([count, runtime.logs]).toEqual([1, []]);
      await runner.close();
    },
  );

  it('rejects invalid options and names them', () => {
    const { sessions, memory } = new MemorySetup();
    for (const [options, name] of [
      [{ memory }, 'sessions'],
      [{ sessions }, 'memory'],
      [{ sessions, memory: { addSessionToMemory() {}, searchMemory() {} } }, 'addEventsToMemory'],
      [{ sessions, memory, maxWaiting: 0 }, 'maxWaiting'],
      [{ sessions, memory, queue: 3 }, 'queue'],
    ] as [AutoIngestPluginOptions, string][])
      expect(() => new AutoIngestPlugin(options), name).toThrow(name);
  });
});

describe('privacy in a runner', () => {
  const operations = [{ op: 'add', text: 'Likes tea.', evidence: ['t1'] }];

  async function withFacts() {
    const setup = new MemorySetup();
    const { runtime, sessions } = setup;
    const llm = new ScriptedLlm(says(JSON.stringify({ operations })), says(JSON.stringify({ lines: ['Tea.'] })));
    const memory = new FactMemoryService({ memory: setup.memory, llm, runtime });
    const plugins = [new IdleConsolidator({ sessions, memory, runtime }), new ProfilePlugin({ memory, llm, runtime })];
    const runner = setup.runner(plugins, [says('Noted.'), says('Tea?'), says('Who are you?')], { memory });
    await turn(runner, 'I like tea.');
    await memory.addSessionToMemory((await sessions.getSession({ ...ann, sessionId: 's1' }))!);
    await turn(runner, 'Hello.', 's2');
    expect(shown(setup.model.requests[1]!)[0]).toContain('- Tea.');
    expect(await setup.remembered()).toHaveLength(3);
    return { setup, runner };
  }

  it('deleteUserData deletes sessions, turns, facts and the profile and stops timers', async () => {
    const { setup, runner } = await withFacts();
    await runner.deleteUserData({ userId: 'ann' });
    expect([await setup.remembered(), (await setup.sessions.listSessions(ann)).total]).toEqual([[], 0]);
    await setup.runtime.advance(60 * 60_000);
    expect([await setup.remembered(), setup.runtime.pending]).toEqual([[], 0]);
    await turn(runner, 'Hello.', 's2');
    expect(shown(setup.model.requests[2]!)).toEqual(['Hello.']);
  });

  it('deletes a session with its memory, its facts and their lines in the profile', async () => {
    const { setup, runner } = await withFacts();
    await runner.deleteSession({ userId: 'ann', sessionId: 's1', memory: true });
    expect(await setup.remembered()).toEqual([]);
    await turn(runner, 'And now?', 's2');
    expect(shown(setup.model.requests[2]!)).toEqual(['Hello.', 'Tea?', 'And now?']);
  });
});

describe('deleting a session while it is being added to memory', () => {
  /** Runs one turn with a slow memory. Adding the turn continues when `go` is called. */
  async function addSlowly(into: 'addSessionToMemory' | 'addEventsToMemory', makeFacts: boolean) {
    const setup = new MemorySetup();
    const { runtime, sessions, memory: inner } = setup;
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const add = inner[into].bind(inner) as (...p: unknown[]) => Promise<void>;
    inner[into] = async (...p: unknown[]) => {
      await gate;
      await add(...p);
    };
    const llm = new ScriptedLlm();
    const memory = makeFacts ? new FactMemoryService({ memory: inner, llm, runtime }) : inner;
    const plugin =
      into === 'addSessionToMemory'
        ? new IdleConsolidator({ sessions, memory, runtime })
        : new AutoIngestPlugin({ sessions, memory, runtime });
    const runner = setup.runner([plugin], [says('Noted.')], { memory });
    await turn(runner, 'I like tea.');
    await runtime.advance(into === 'addSessionToMemory' ? 30 * 60_000 : 100);
    return { setup, runner, go };
  }

  it.each([
    ['addSessionToMemory', false],
    ['addSessionToMemory', true],
    ['addEventsToMemory', false],
  ] as const)('stores nothing by %s if its memory is deleted too (with facts: %s)', async (into, makeFacts) => {
    const { setup, runner, go } = await addSlowly(into, makeFacts);
    expect(await runner.deleteSession({ userId: 'ann', sessionId: 's1', memory: true })).toBe(true);
    go();
    await setup.runtime.advance(60 * 60_000);
    await runner.close();
    expect([await setup.remembered(), setup.runtime.logs]).toEqual([[], []]);
  });

  it('stores the turns if the session is deleted without its memory', async () => {
    const { setup, runner, go } = await addSlowly('addSessionToMemory', false);
    expect(await runner.deleteSession({ userId: 'ann', sessionId: 's1' })).toBe(true);
    go();
    await setup.runtime.advance(0);
    expect(await setup.remembered()).toEqual(['I like tea.', 'Noted.']);
    await runner.close();
  });

  it('stores nothing of a session that is deleted concurrently', async () => {
    const setup = new MemorySetup();
    const { sessions, memory } = setup;
    const runner = setup.runner([], [says('Noted.')]);
    await turn(runner, 'I like tea.');
    const read = (await sessions.getSession({ ...ann, sessionId: 's1' }))!;
    const remove = sessions.deleteSession.bind(sessions);
    sessions.deleteSession = async (p) => {
      await remove({ ...ann, sessionId: 's1' });
      return remove(p);
    };
    expect(await runner.deleteSession({ userId: 'ann', sessionId: 's1', memory: true })).toBe(false);
    await memory.addSessionToMemory(read);
    expect(await setup.remembered()).toEqual([]);
    await runner.close();
  });

  it('keeps a busy session with its memory and throws an error', async () => {
    const setup = new MemorySetup();
    const { sessions, memory } = setup;
    const runner = setup.runner([], [says('Noted.')]);
    await turn(runner, 'I like tea.');
    const ref = { ...ann, sessionId: 's1' };
    await memory.addSessionToMemory((await sessions.getSession(ref))!);
    const remove = sessions.deleteSession.bind(sessions);
    sessions.deleteSession = async (p) => {
      await sessions.updateState({ ...ref, stateDelta: { more: 1 } });
      return remove(p);
    };
    const deleting = runner.deleteSession({ userId: 'ann', sessionId: 's1', memory: true });
    await expect(deleting).rejects.toMatchObject({ code: 'SESSION_BUSY', retryable: true });
    expect(await setup.remembered()).toEqual(['I like tea.', 'Noted.']);
    expect(await sessions.getSession(ref)).toBeDefined();
    await runner.close();
  });

  it('stores nothing of a turn that runs during the deletion', async () => {
    const setup = new MemorySetup();
    const { runtime, sessions, memory } = setup;
    const plugin = new AutoIngestPlugin({ sessions, memory, runtime });
    const runner = setup.runner([plugin], [says('Noted.'), says('So noted.')]);
    await turn(runner, 'I like tea.');
    const ref = { ...ann, sessionId: 's1' };
    const remove = sessions.deleteSession.bind(sessions);
    let read: Session | undefined;
    sessions.deleteSession = async (p) => {
      if (!read) {
        await turn(runner, 'And milk.');
        read = await sessions.getSession(ref);
      }
      return remove(p);
    };
    expect(await runner.deleteSession({ userId: 'ann', sessionId: 's1', memory: true })).toBe(true);
    expect(read!.events).toHaveLength(4);
    await memory.addSessionToMemory(read!);
    await plugin.flush();
    expect(await setup.remembered()).toEqual([]);
    expect(await sessions.getSession(ref)).toBeUndefined();
    await runner.close();
  });
});

describe('IdleConsolidator in a runner', () => {
  it('starts with each run’s end, closes with the runner, and never delays a turn', async () => {
    const setup = new MemorySetup();
    const { sessions, memory, runtime } = setup;
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const add = memory.addSessionToMemory.bind(memory);
    memory.addSessionToMemory = async (session, call) => {
      await gate;
      await add(session, call);
    };
    const runner = setup.runner(
      [new IdleConsolidator({ sessions, memory, runtime })],
      [says('1'), says('2'), says('3')],
    );
    await turn(runner, 'One.');
    await runtime.advance(30 * 60_000);
    await turn(runner, 'Two.');
    go();
    await runtime.advance(0);
    expect((await sessions.getSession({ ...ann, sessionId: 's1' }))?.events).toHaveLength(4);
    await runtime.advance(30 * 60_000);
    expect(await sessions.getSession({ ...ann, sessionId: 's1' })).toBeUndefined();
    expect(await setup.remembered()).toEqual(['One.', '1', 'Two.', '2']);
    await turn(runner, 'A fresh start.');
    expect(shown(setup.model.requests.at(-1)!)).toEqual(['A fresh start.']);
    await runner.close();
    expect(runtime.pending).toBe(0);
  });
});

describe('ProfilePlugin in a runner', () => {
  const lines = (...all: string[]) => says(JSON.stringify({ lines: all }));

  async function withTea(): Promise<MemorySetup> {
    const setup = new MemorySetup();
    const note = { kind: 'note' as const, content: { parts: [{ text: 'Likes <b>tea</b>.' }] } };
    await setup.memory.addMemory({ ...ann, memories: [note] });
    return setup;
  }

  it('adds the same profile at the start of every request of the session, and never stores it', async () => {
    const setup = await withTea();
    const { memory, runtime } = setup;
    const llm = new ScriptedLlm(lines('Likes <b>tea</b>.'));
    let reads = 0;
    const list = memory.listMemories.bind(memory);
    memory.listMemories = (p) => {
      reads++;
      return list(p);
    };
    const runner = setup.runner(
      [new ProfilePlugin({ memory, llm, runtime })],
      [calls('load_memory', { query: 'tea' }), says('Tea?'), says('Bye.')],
      { tools: [LOAD_MEMORY] },
    );
    await turn(runner, 'Hello.');
    await turn(runner, 'Bye.');
    const blocks = setup.model.requests.map((request) => shown(request)[0]!);
    expect(new Set(blocks).size).toBe(1);
    expect(blocks[0]).toContain('- Likes &lt;b&gt;tea&lt;/b&gt;.');
    expect(setup.model.requests[0]!.contents[0]!.role).toBe('user');
    expect([llm.requests.length, reads], 'one read per run, and one after the model call').toEqual([1, 3]);
    const stored = JSON.stringify((await setup.sessions.getSession({ ...ann, sessionId: 's1' }))!);
    expect(stored).not.toContain('USER_PROFILE');
  });

  it('adds the profile at the end of the system text with placement system', async () => {
    const setup = await withTea();
    const { memory, runtime } = setup;
    const plugin = new ProfilePlugin({ memory, llm: new ScriptedLlm(lines('Tea.')), placement: 'system', runtime });
    await turn(setup.runner([plugin], [says('Hi.')]), 'Hello.');
    const { contents, config } = setup.model.requests[0]!;
    expect(contents.map(textOf)).toEqual(['Hello.']);
    expect(config.systemInstruction).toMatch(/<USER_PROFILE>\n[^]*- Tea\.\n<\/USER_PROFILE>$/);
  });

  it('completes a turn if its model fails or memory cannot be read', async () => {
    const setup = await withTea();
    const { memory, runtime } = setup;
    const plugin = new ProfilePlugin({ memory, llm: new ScriptedLlm(fails('MODEL_OVERLOADED')), runtime });
    await turn(setup.runner([plugin], [says('Hi.')]), 'Hello.');
    expect(shown(setup.model.requests[0]!)[0]).toContain('- Likes &lt;b&gt;tea&lt;/b&gt;.');
    memory.listMemories = () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'gone'));
    const other = new ProfilePlugin({ memory, llm: new ScriptedLlm(), runtime });
    await turn(setup.runner([other], [says('Hi.')]), 'Hello.', 's2');
    expect(shown(setup.model.requests[0]!)).toEqual(['Hello.']);
    expect(runtime.logs.at(-1)!.message).toBe('The profile could not be read.');
  });

  it('adds no profile to requests of other users', async () => {
    const setup = await withTea();
    const { memory, runtime } = setup;
    const runner = setup.runner([new ProfilePlugin({ memory, llm: new ScriptedLlm(), runtime })], [says('Hi.')]);
    await runner.runToCompletion({ userId: 'bob', sessionId: 's1', newMessage: 'Hello.' });
    expect(shown(setup.model.requests[0]!)).toEqual(['Hello.']);
  });
});

describe('SessionWindowPlugin in a runner', () => {
  it('sends only the last turns, calls with their answers, and leaves the session unchanged', async () => {
    const setup = new MemorySetup();
    const find = new FunctionTool({ name: 'find', description: 'Finds.', execute: () => ({ found: 1 }) });
    const runner = setup.runner(
      [new SessionWindowPlugin({ turns: 2 })],
      [says('1'), calls('find', {}, 'call-2'), says('2'), calls('find', {}, 'call-3'), says('3'), says('4')],
      { tools: [find] },
    );
    for (const message of ['One.', 'Two.', 'Three.', 'Four.']) await turn(runner, message);
    expect(setup.model.requests.map((request) => shown(request).filter((text) => text !== ''))).toEqual([
      ['One.'],
      ['One.', '1', 'Two.'],
      ['One.', '1', 'Two.'],
      ['Two.', '2', 'Three.'],
      ['Two.', '2', 'Three.'],
      ['Three.', '3', 'Four.'],
    ]);
    const last = setup.model.requests.at(-1)!.contents.flatMap(({ parts = [] }) => parts);
    expect(last.filter(({ functionCall }) => functionCall)).toHaveLength(1);
    expect(last.filter(({ functionResponse }) => functionResponse)).toHaveLength(1);
    const { events } = (await setup.sessions.getSession({ ...ann, sessionId: 's1' }))!;
    expect(events).toHaveLength(12);
    expect(events.flatMap(getFunctionCalls)).toHaveLength(2);
  });

  it('sends the message and the call of a late answer first, and nothing else of that turn', async () => {
    const setup = new MemorySetup();
    const choose = new LongRunningFunctionTool({ name: 'choose', description: 'Asks.', execute: () => undefined });
    const runner = setup.runner(
      [new SessionWindowPlugin({ turns: 1 })],
      [says('1'), calls('choose', {}, 'c1'), says('3'), says('4'), says('The sea it is.')],
      { tools: [choose] },
    );
    for (const message of ['One.', 'Which room?', 'Three.', 'Four.']) await turn(runner, message);
    const functionResponse = { id: 'c1', name: 'choose', response: { choice: 'sea' } };
    const newMessage = { role: 'user' as const, parts: [{ functionResponse }] };
    await runner.runToCompletion({ userId: 'ann', sessionId: 's1', newMessage });
    const { contents } = setup.model.requests.at(-1)!;
    const sent = contents.flatMap(({ parts = [] }) =>
      parts.map((part) => part.text ?? part.functionCall?.id ?? `answer of ${part.functionResponse?.id}`),
    );
    expect([contents[0]!.role, sent.slice(0, 5)]).toEqual([
      'user',
      ['Which room?', 'c1', 'answer of c1', 'Four.', '4'],
    ]);
  });
});
