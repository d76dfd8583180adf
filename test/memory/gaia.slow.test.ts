import { createEvent, getFunctionResponses, isFinalResponse, textOf } from '@thole/core';
import type { Event, LlmRequest, MemoryEntry, MemoryService, SessionService } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { applyProposals, IdleConsolidator, memoryParts, proposeMemories, undoProposals } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { loadMemoryTool, rememberTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { Child } from '../durability/child.ts';
import { beginSession } from './begin-session.ts';
import { factsOfGrace } from './facts-of-grace.ts';
import { OneFile } from './one-file.ts';

const minute = 60_000;
const ann = { appName: 'gaia', userId: 'ann' };
const whatsapp = { ...ann, sessionId: 'ann:whatsapp' };
const telegram = { ...ann, sessionId: 'ann:telegram' };
const bobs = { appName: 'gaia', userId: 'bob', sessionId: 'bob:whatsapp' };

const answer = (value: object) => says(JSON.stringify(value));
const add = (text: string, ...evidence: string[]) => ({
  op: 'add',
  text,
  evidence,
  fact: '',
  since: '',
  duplicateOf: '',
});
const textsIn = ({ contents, config }: LlmRequest): string =>
  [config.systemInstruction ?? '', ...contents.map(textOf)].join('\n');

/** Creates the parts of one process over the given services. */
function startProcess(
  services: ReturnType<Open>,
  script: { chat: ScriptedAnswer[]; memory: ScriptedAnswer[]; projects: string[] },
) {
  const { runtime, sessions, memory } = services;
  const chat = new ScriptedLlm(...script.chat);
  const memoryModel = new ScriptedLlm(...script.memory);
  const parts = memoryParts({
    ...{ sessions, memory, llm: memoryModel, runtime, windowTurns: 2 },
    tools: [loadMemoryTool(), rememberTool()],
    sources: [{ name: 'recent projects', lines: ({ userId }) => (userId === 'ann' ? script.projects : []) }],
  });
  const { memoryService, plugins, tools } = parts;
  const agent = new LlmAgent({ name: 'gaia', model: chat, tools: [...tools] });
  const app = { appName: 'gaia', agent, plugins: [...plugins] };
  const runner = new Runner({ ...app, sessionService: sessions, memoryService, autoCreateSession: true, runtime });
  /** Handles a line from a channel: a command, or a message. Returns the answer. */
  async function receive(session: typeof ann & { sessionId: string }, line: string): Promise<string> {
    const command = await parts.commands.handle(line, session);
    if (command && !command.isMessage) return command.text;
    const events: Event[] = [];
    for await (const event of runner.runAsync({ ...session, newMessage: line, yieldUserMessage: true }))
      events.push(event);
    // The stream contains the user's own event, which is not part of the answer.
    expect(events[0]).toMatchObject({ author: 'user', content: { parts: [{ text: line }] } });
    return events
      .filter((event) => event.author !== 'user' && isFinalResponse(event))
      .map((one) => textOf(one.content))
      .join('\n');
  }
  return { ...parts, chat, memoryModel, runner, receive };
}

/** Opens sessions and memory for a process. Each process calls it once. */
type Open = () => { runtime: FixedRuntime; sessions: SessionService; memory: Required<MemoryService> };

function inMemory(): Open {
  const runtime = new FixedRuntime();
  const sessions = new InMemorySessionService({ runtime });
  const memory = new InMemoryMemoryService({ runtime });
  return () => ({ runtime, sessions, memory });
}

function inAFile(): Open {
  const runtime = new FixedRuntime();
  const file = new OneFile();
  return () => ({ runtime, ...file.connect(runtime) });
}

describe.each([
  ['in memory', inMemory],
  ['in a SQLite file, which each process opens', inAFile],
])('two days, two channels, one person, %s', (_, createOpen) => {
  it('runs from the first to the last message, isolated from other users', async () => {
    const open = createOpen();
    const services = open();
    const { runtime, sessions, memory } = services;
    const stored = async (kinds: MemoryEntry['kind'][], user = ann) => {
      const { memories } = await memory.listMemories({ appName: 'gaia', userId: user.userId, filter: { kinds } });
      return memories.map(({ content }) => textOf(content));
    };

    // Day one, WhatsApp. Memory is empty, so there is no profile, and no model is called for one.
    const first = startProcess(services, {
      chat: [
        says('Noted.'),
        says('Lovely! A screenshot was captured.'),
        (request) => {
          // The request contains the last two turns. The first message is not in it, but still stored.
          expect(request.contents.map(textOf).join()).not.toContain('vegetarian');
          return says('Here you are.');
        },
        says('Hello Bob.'),
      ],
      memory: [
        (request) => {
          // Consolidation reads the whole conversation, although the requests contain only its end.
          expect(textsIn(request)).toMatch(/t1 .* user: I am vegetarian\.\nt2 .* gaia: Noted\.\n[^]*t6 .* gaia: Here/);
          return answer({
            operations: [
              add('Is vegetarian.', 't1'),
              add('Grace is her girlfriend; her number is +44 20 7946 0958.', 't3'),
              add('A screenshot was captured.', 't4'),
            ],
          });
        },
      ],
      projects: [],
    });
    expect(await first.receive(whatsapp, 'I am vegetarian.')).toBe('Noted.');
    await runtime.advance(10 * minute);
    await first.receive(whatsapp, 'Grace is my girlfriend, +44 20 7946 0958.');
    await first.receive(whatsapp, 'Show me the garden.');
    expect(first.chat.requests.every((request) => !textsIn(request).includes('USER_PROFILE'))).toBe(true);
    expect((await sessions.getSession(whatsapp))!.events).toHaveLength(6);
    expect(await stored(['turn', 'fact', 'note'])).toEqual([]);

    // The conversation becomes idle. A command starts no timer and calls no model.
    await runtime.advance(29 * minute);
    expect(await first.receive(whatsapp, '/remember My PIN is 4711')).toBe('Remembered: My PIN is 4711');
    expect(first.chat.requests).toHaveLength(3);
    expect(await sessions.getSession(whatsapp)).toBeDefined();
    await runtime.advance(1 * minute);
    expect(await sessions.getSession(whatsapp)).toBeUndefined();
    expect(await stored(['fact'])).toEqual([
      'Is vegetarian.',
      'Grace is her girlfriend; her number is +44 20 7946 0958.',
    ]);
    expect(await stored(['note'])).toEqual(['My PIN is 4711']);
    expect(await stored(['turn'])).toHaveLength(6);

    // Bob uses the same channel. He sees none of Ann's memory and has none himself.
    await first.receive(bobs, 'Hi, I am Bob.');
    expect(textsIn(first.chat.requests[3]!)).not.toMatch(/vegetarian|Grace|4711|USER_PROFILE/);
    expect(await first.receive(bobs, '/memory')).toBe('Nothing is remembered.');

    // The process stops in the middle of his conversation: stopping consolidates nothing.
    await first.runner.close();
    expect([runtime.pending, await stored(['turn'], bobs)]).toEqual([0, []]);
    expect(await sessions.getSession(bobs)).toBeDefined();

    // Day two, another process. The sweep consolidates the sessions that became idle while no process ran.
    await runtime.advance(24 * 60 * minute);
    const second = startProcess(open(), {
      chat: [
        (request) => {
          const texts = textsIn(request);
          expect(texts).toContain('<USER_PROFILE>');
          expect(texts).toContain('- Vegetarian; girlfriend Grace; PIN 4711; herb garden.');
          return calls('load_memory', { query: 'number of girlfriend Grace' });
        },
        (request) => {
          const { memories } = getFunctionResponses(eventOf(request))[0]!.response as { memories: { text: string }[] };
          expect(memories.length).toBeLessThanOrEqual(5);
          const found = memories.find(({ text }) => text.includes('+44'))!;
          return says(`Her number is ${/\+[\d ]+\d/.exec(found.text)![0]}.`);
        },
        calls('remember', { fact: 'Lives in Rome since Monday.' }),
        says('I will remember that.'),
        says('Good morning.'),
        (request) => {
          expect(textsIn(request)).not.toMatch(/Waters|Grace|4711/);
          expect(textsIn(request)).toContain('- Herb garden.');
          return says('Who are you?');
        },
      ],
      memory: [
        answer({ operations: [add('Is called Bob.', 't1')] }),
        answer({ lines: ['Vegetarian; girlfriend Grace; PIN 4711; herb garden.'] }),
        (request) => {
          const fact = /(k\d+) .*: Is vegetarian\./.exec(textsIn(request))![1]!;
          return answer({
            operations: [
              add('Waters the herbs at dawn.', 't3'),
              add('waters the herbs  at dawn', 't3'),
              { ...add('Eats fish again.', 't3'), op: 'supersede', fact },
            ],
          });
        },
        (request) => {
          expect(textsIn(request)).toMatch(/- Eats fish again\./);
          expect(textsIn(request)).not.toMatch(/vegetarian/);
          return answer({ lines: ['Waters herbs at dawn.'] });
        },
        answer({ lines: ['Herb garden.'] }),
      ],
      projects: ['Herb garden (open)'],
    });
    expect(await second.consolidator!.sweep({ appName: 'gaia' })).toEqual({ consolidated: 1, failed: 0, scheduled: 0 });
    expect(await stored(['fact'], bobs)).toEqual(['Is called Bob.']);
    expect(await sessions.getSession(bobs)).toBeUndefined();

    // Ann, now on Telegram: another session with the same memory and the same profile.
    expect(await second.receive(telegram, 'What was my girlfriend’s number?')).toBe('Her number is +44 20 7946 0958.');
    expect(second.memoryModel.requests[1]!.contents.map(textOf).join()).toContain('Herb garden (open)');
    await second.receive(telegram, 'I live in Rome since Monday, eat fish again, and water the herbs at dawn.');
    expect(await stored(['note'])).toEqual(['My PIN is 4711', 'Lives in Rome since Monday.']);
    // The profile belongs to the session: every request has the same text, although memory has grown.
    const profiles = second.chat.requests.slice(0, 4).map((request) => textOf(request.contents[0]));
    expect(new Set(profiles).size).toBe(1);

    // On request the session is consolidated and cleared. Long-term memory stays.
    expect(await second.receive(telegram, '/reset')).toBe(
      'The conversation was added to memory. A new conversation starts.',
    );
    expect(await sessions.getSession(telegram)).toBeUndefined();
    // A repeated statement is one fact. A fact that is no longer true stays, with the time in which it was true.
    expect((await stored(['fact'])).toSorted()).toEqual([
      ...['Eats fish again.', 'Grace is her girlfriend; her number is +44 20 7946 0958.', 'Is vegetarian.'],
      'Waters the herbs at dawn.',
    ]);
    const listed = await second.receive(whatsapp, '/memory');
    expect(listed).toContain('note: Lives in Rome since Monday.');
    expect(listed).not.toMatch(/vegetarian|Bob/);
    const yesterday = { kinds: ['fact' as const], validAt: runtime.now() - 24 * 60 * 60 };
    const { memories: then } = await memory.searchMemory({ ...ann, query: 'vegetarian fish', filter: yesterday });
    expect(then.map(({ content }) => textOf(content))).toEqual(['Is vegetarian.']);
    await second.receive(telegram, 'Good morning.');
    expect(textsIn(second.chat.requests[4]!)).toContain('- Waters herbs at dawn.');

    // After a confirmation everything is deleted, also the profile and the earlier messages of the current session.
    expect(await second.receive(telegram, '/forget')).toContain('yes or no');
    expect(await second.receive(telegram, 'yes')).toMatch(/^Forgotten: \d+ memories/);
    expect(await stored(['turn', 'fact', 'note'])).toEqual([]);
    expect(await stored(['fact'], bobs)).toEqual(['Is called Bob.']);
    expect(await second.receive(telegram, 'Who am I?')).toBe('Who are you?');
    await second.runner.close();
    for (const model of [first.chat, second.chat, second.memoryModel]) model.assertDone();
  });

  it('continues in the next process, and finds turns outside the window by search', async () => {
    const open = createOpen();
    const services = open();
    const { runtime, sessions } = services;
    const first = startProcess(services, { chat: ['1', '2', '3'].map((text) => says(text)), memory: [], projects: [] });
    for (const line of ['My passport is in the blue drawer.', 'It rains.', 'It still rains.'])
      await first.receive(whatsapp, line);
    await first.runner.close();
    await runtime.advance(20 * minute);

    const second = startProcess(open(), {
      chat: [
        (request) => {
          expect(request.contents.map(textOf)).toEqual(['It still rains.', '3', 'And now?']);
          return says('The sun.');
        },
        (request) => {
          expect(request.contents.map(textOf)).toEqual(['Where is my passport?']);
          return calls('load_memory', { query: 'passport' });
        },
        (request) => {
          const { memories } = getFunctionResponses(eventOf(request))[0]!.response as { memories: { text: string }[] };
          return says(memories[0]!.text);
        },
      ],
      memory: [answer({ operations: [] })],
      projects: [],
    });
    expect(await second.consolidator!.sweep(ann)).toEqual({ consolidated: 0, failed: 0, scheduled: 1 });
    await second.receive(whatsapp, 'And now?');
    await runtime.advance(29 * minute);
    expect((await sessions.getSession(whatsapp))?.events).toHaveLength(8);
    await runtime.advance(1 * minute);
    expect(await sessions.getSession(whatsapp)).toBeUndefined();
    expect(await second.receive(whatsapp, 'Where is my passport?')).toBe('My passport is in the blue drawer.');
    for (const model of [first.chat, second.chat, second.memoryModel]) model.assertDone();
    await second.runner.close();
  });
});

describe('memoryParts and proposals', () => {
  it('have no service, tools and profile with memory off, and commands that report it', async () => {
    const sessions = new InMemorySessionService();
    const llm = new ScriptedLlm();
    const off = memoryParts({
      ...{ enabled: false, sessions, memory: new InMemoryMemoryService(), llm },
      tools: [loadMemoryTool()],
    });
    expect(off).toMatchObject({ memoryService: undefined, tools: [], consolidator: undefined, profiles: undefined });
    expect(off.plugins.map(({ name }) => name)).toEqual(['session_window']);
    expect((await off.commands.handle('/memory', whatsapp))!.text).toContain('Memory is off');
    const idle = memoryParts({ sessions, memory: new InMemoryMemoryService(), llm, autoIngest: false, preload: false });
    expect(idle.consolidator!.enabled).toBe(false);
    expect(idle.plugins.map(({ name }) => name)).toEqual(['session_window', 'idle_consolidator']);
    const plain = memoryParts({ sessions, memory: new InMemoryMemoryService() });
    expect([plain.memoryService?.constructor.name, plain.profiles]).toEqual(['InMemoryMemoryService', undefined]);
  });

  it('propose facts from past sessions, which can be applied and undone', async () => {
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    const memory = new InMemoryMemoryService({ runtime });
    await beginSession({ sessions }, whatsapp, ['user', 'Grace moved in with me.']);
    const proposal = { action: 'add', target: '', text: 'Lives with Grace.', reason: 'Told once.', evidence: ['t1'] };
    const llm = new ScriptedLlm(answer({ proposals: [proposal] }));
    const proposals = await proposeMemories({ ...ann, sessions, memory, llm, runtime });
    const audit = await applyProposals({ memory, proposals, approvedBy: 'ann', runtime });
    const countFacts = async () => (await memory.listMemories({ ...ann, filter: { kinds: ['fact'] } })).memories.length;
    expect(await countFacts()).toBe(1);
    await undoProposals({ memory, audit });
    expect(await countFacts()).toBe(0);
  });
});

describe('the end of a process', () => {
  it('does not wait for timers, and the next process consolidates', async () => {
    const { url, sessions, memory, storedEntries } = inOneFile();
    const child = new Child<{ at: string }>('../../memory/children/ends-while-armed.ts', url, JSON.stringify(whatsapp));
    await child.finished();
    expect(child.told).toEqual([{ at: 'the end' }]);
    expect((await sessions.getSession(whatsapp))?.events).toHaveLength(2);
    expect(await storedEntries()).toEqual([]);
    const consolidator = new IdleConsolidator({ sessions, memory: factsOfGrace(memory), idleMs: 1 });
    let consolidated = 0;
    // The child's lease may not have expired yet.
    while (consolidated === 0) ({ consolidated } = await consolidator.sweep(ann));
    expect(await storedEntries()).toEqual([
      'fact: Grace is my girlfriend.',
      'turn: Grace is my girlfriend.',
      'turn: Noted.',
    ]);
    await consolidator.close();
  });
});

describe('kill -9', () => {
  it('neither loses nor doubles data between consolidation and deletion in SQLite', async () => {
    const { url, sessions, memory, storedEntries } = inOneFile();
    await beginSession({ sessions }, whatsapp, ['user', 'Grace is my girlfriend.'], ['gaia', 'Noted.']);

    const child = new Child<{ at: string }>(
      ...(['../../memory/children/dies-before-deleting.ts', url, JSON.stringify(whatsapp)] as const),
    );
    expect(await child.next()).toEqual({ at: 'the deletion' });
    await child.kill();

    const all = ['fact: Grace is my girlfriend.', 'turn: Grace is my girlfriend.', 'turn: Noted.'];
    expect((await sessions.getSession(whatsapp))?.events).toHaveLength(2);
    expect(await storedEntries()).toEqual(all);

    // The next process consolidates the session after the leases of the dead process have expired.
    const consolidator = new IdleConsolidator({ sessions, memory: factsOfGrace(memory), idleMs: 1 });
    let outcome: string;
    do outcome = await consolidator.consolidate(whatsapp);
    while (outcome === 'active');
    expect(outcome).toBe('deleted');
    expect(await sessions.getSession(whatsapp)).toBeUndefined();
    expect(await storedEntries()).toEqual(all);
    await consolidator.close();
  });
});

/** Sessions and memory in a separate file, and Ann's entries in it. */
function inOneFile() {
  const file = new OneFile();
  const { sessions, memory } = file.connect();
  const storedEntries = async () => {
    const { memories } = await memory.listMemories({ ...ann, filter: { kinds: ['turn', 'fact'] } });
    return memories.map(({ kind, content }) => `${kind}: ${textOf(content)}`).toSorted();
  };
  return { url: file.url, sessions, memory, storedEntries };
}

function eventOf({ contents }: LlmRequest): Event {
  return createEvent({
    author: 'gaia',
    content: contents.findLast(({ parts }) => parts?.some((part) => part.functionResponse))!,
  });
}
