import { TholeError } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { calls, fails, hangs, says, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { chatWith } from '../chat-with.ts';

describe('Chat: messages', () => {
  it('prints an answer once, with and without streaming', async () => {
    const streamed = chatWith({ llm: new ScriptedLlm(streams('Good ', 'morning.')) });
    expect(await streamed.type('Hello.')).toBe('concierge: Good morning.\n');
    const whole = chatWith({ llm: new ScriptedLlm(says('Good morning.')), streaming: false });
    expect(await whole.type('Hello.')).toBe('concierge: Good morning.\n');
  });

  it('shows each tool call with arguments and answer on one line, before the text', async () => {
    const llm = new ScriptedLlm(
      calls('book_room', { room: '402', request: 'a\nharp' }),
      calls('book_room', { room: '999' }),
      calls('list_bookings'),
      says('Done.'),
    );
    const written = await chatWith({ llm }).type('Book.');
    expect(written.split('\n')).toEqual([
      expect.stringMatching(
        /^ {2}\[book_room\(room: "402", request: "a\\nharp"\) → booking: \{"id":"402-2023-11-14".*…\]$/,
      ),
      '  [book_room(room: "999") → error: There is no room with this number.]',
      expect.stringMatching(/^ {2}\[list_bookings\(\) → bookings: \[\{"id":"402-.*\}\]\]$/),
      'concierge: Done.',
      '',
    ]);
  });

  it('shows an error on one line with its code, and the next message works', async () => {
    const chat = chatWith({
      llm: new ScriptedLlm(fails('MODEL_OVERLOADED'), fails(new Error('line\nbreak')), says('Here I am.')),
    });
    expect(await chat.type('Hello.')).toMatch(/^! MODEL_OVERLOADED: [^\n]+\n$/);
    expect(await chat.type('Hello?')).toMatch(/^! MODEL_FAILED: [^\n]+\n$/);
    expect(await chat.type('Anyone?')).toBe('concierge: Here I am.\n');
  });

  it('shows no control characters', async () => {
    const llm = new ScriptedLlm(calls('cancel_booking', { booking: '\u001b[31mred' }), says('a\u001b[2Jb\u202ec'));
    const written = await chatWith({ llm }).type('Hello.');
    expect(written).not.toContain('\u001b');
    expect(written).toContain('concierge: a[2Jbc\n');
  });

  it('stops the answer at an interrupt and answers the next message', async () => {
    const llm = new ScriptedLlm(hangs(), says('As you like.'));
    const { chat, type } = chatWith({ llm });
    expect(chat.interrupt()).toBe(false);
    const stopped = type('Tell me everything.');
    await expect.poll(() => llm.requests.length === 1).toBe(true);
    expect(chat.interrupt()).toBe(true);
    expect(await stopped).toBe('(stopped)\n');
    expect(chat.interrupt()).toBe(false);
    expect(await type('Never mind.')).toBe('concierge: As you like.\n');
  });
});

describe('Chat: commands', () => {
  it('does nothing for an empty line and names /help for an unknown command', async () => {
    const { type } = chatWith();
    expect(await type('', '   ', '\t')).toBe('');
    expect(await type('/dance')).toBe('There is no command /dance. /help lists the commands.\n');
    expect(await type('/')).toBe('There is no command /. /help lists the commands.\n');
    expect(await type('/constructor')).toBe('There is no command /constructor. /help lists the commands.\n');
  });

  it('/help lists every command', async () => {
    const help = await chatWith().type('/HELP');
    for (const name of [
      '/new',
      '/sessions',
      '/memory [query]',
      '/forget [number]',
      '/remember <fact>',
      '/guest <name>',
      '/reset',
      '/help',
      '/quit',
    ]) {
      expect(help).toContain(`  ${name} `);
    }
    expect(help).not.toContain('also /new');
  });

  it('/new adds the conversation to memory once', async () => {
    const { type } = chatWith();
    expect(await type('/new')).toBe('A new conversation starts.\n');
    await type('I love balconies.');
    expect(await type('/new', '/new')).toBe(
      'The conversation was added to memory.\nA new conversation starts.\nA new conversation starts.\n',
    );
    expect(await type('/memory')).toMatch(/^1\. user: I love balconies\.\n2\. concierge: .*\n$/);
  });

  it('/memory lists messages of the current conversation', async () => {
    const { type } = chatWith();
    expect(await type('I love balconies.', '/memory')).toContain('\n1. user: I love balconies.\n');
    expect(await type('What do you know about me?')).toContain(
      'I remember no preference of yours. In this conversation you told me:\n- balconies',
    );
  });

  it('/reset adds the conversation to memory and removes it from the list', async () => {
    const { type, concierge } = chatWith();
    expect(await type('/reset')).toBe('Nothing to clear.\n');
    await type('I love balconies.');
    const { sessionId } = concierge;
    expect(await type('/reset')).toBe('The conversation was added to memory. A new conversation starts.\n');
    expect(concierge.sessionId).not.toBe(sessionId);
    expect(await type('/sessions')).toBe('alice has had no conversation yet.\n');
    const booked = await type('Book me a room.');
    expect(booked).toContain('with a balcony, as you prefer (“balconies”)');
    // The answers of the concierge are not recalled.
    expect(booked).toMatch(/\[load_memory\(.*\) → memories: .*balconies/);
  });

  it('/sessions lists the guest’s conversations, newest first, and marks the current one', async () => {
    const { type, runtime } = chatWith();
    expect(await type('/sessions')).toBe('alice has had no conversation yet.\n');
    await type('hello', '/new');
    await runtime.advance(60_000);
    await type('hello again');
    const listed = (await type('/sessions')).trimEnd().split('\n');
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatch(/2023-11-14 22:14 {2}2 events .*\(this one\)$/);
    expect(listed[1]).toMatch(/2023-11-14 22:13 {2}2 events {2}\S+$/);
    expect(await type('/guest bob', '/sessions')).toContain('bob has had no conversation yet.');
  });

  it('/memory with a query lists matching memories', async () => {
    const { type } = chatWith();
    await type('/remember my dog is called Rex', '/remember I love balconies');
    const found = await type('/memory dog');
    expect(found).toContain('my dog is called Rex');
    expect(found).not.toContain('balconies');
    expect(await type('/memory elephants')).toBe('No memory matches.\n');
  });

  it('/remember stores a fact with the words that search needs, and a booking uses it', async () => {
    const { type } = chatWith();
    expect(await type('/remember')).toBe('Nothing to remember. Write /remember <fact>.\n');
    expect(await type('/remember  a harp, tuned')).toBe('Remembered: Remember for my stays: a harp, tuned\n');
    expect(await type('Book me a room.')).toMatch(/request: "a harp, tuned"[^]*you told me “a harp, tuned”/);
  });

  it('/forget asks, and deletes only after yes', async () => {
    const { type } = chatWith();
    await type('I love balconies.', '/new');
    expect(await type('/forget')).toBe('Forget everything about you? Answer yes or no.\n');
    expect(await type('no')).toBe('Nothing was forgotten.\n');
    expect(await type('/forget', '')).toContain('Nothing was forgotten.\n');
    expect(await type('yes')).not.toContain('Forgotten');
    expect(await type('/forget', '/guest')).toContain('Nothing was forgotten.\nThe guest is alice.');
    expect(await type('yes')).not.toContain('Forgotten');
    expect(await type('/forget', '/dance')).toContain('Nothing was forgotten.\nThere is no command /dance.');
    expect(await type('/memory')).toContain('I love balconies.');
    expect(await type('/forget', ' YES ')).toMatch(
      /Forgotten: \d memories\. This conversation is kept\.\nBookings stay; the next message begins a new conversation\.\n$/,
    );
    expect(await type('/memory')).toBe('Nothing is remembered.\n');
  });

  it('/forget includes the current conversation and keeps memories of other guests', async () => {
    const { type } = chatWith();
    await type('/guest bob', 'I love the sea.', '/guest alice', 'I love balconies.', '/forget', 'yes');
    expect(await type('What do you know about me?')).toContain('concierge: I remember no preference of yours.\n');
    await type('/new');
    expect(await type('/memory balconies')).toBe('No memory matches.\n');
    expect(await type('/guest bob', '/memory')).toContain('I love the sea.');
  });

  it('/forget with a number deletes that line of the last /memory, several times', async () => {
    const { type } = chatWith();
    await type('/remember I love balconies', '/remember I love the sea', '/remember I love desks');
    expect(await type('/memory love')).toContain('3. ');
    const first = await type('/forget 1');
    expect(first).toBe('Forgotten, with its sources.\nBookings stay; the next message begins a new conversation.\n');
    expect(await type('/forget 2')).toBe('Forgotten, with its sources.\n');
    expect(await type('/forget 1')).toBe('Already forgotten.\n');
    expect(await type('/forget 4')).toBe('There is no such line. /memory lists the memories with numbers.\n');
    expect(await type('/forget one')).toBe('There is no such line. /memory lists the memories with numbers.\n');
    expect(await type('/memory')).toMatch(/^1\. note: I love \w+\n$/);
  });

  it('/new after /forget does not add the conversation to memory', async () => {
    const { type } = chatWith();
    await type('I love balconies.', '/forget', 'yes');
    expect(await type('/new', '/memory')).toBe('A new conversation starts.\nNothing is remembered.\n');
  });

  it('/forget with the number of a deleted entry continues the conversation', async () => {
    const { type, concierge, services } = chatWith();
    await type('I love balconies.', '/memory');
    const { sessionId } = concierge;
    await services.memoryService!.deleteUserMemory!({ appName: 'hotel', userId: 'alice' });
    expect(await type('/forget 1')).toBe('Already forgotten.\n');
    await type('Hello!');
    expect(concierge.sessionId).toBe(sessionId);
  });

  it('/forget with a number starts a new conversation without earlier tool answers', async () => {
    const { type, concierge } = chatWith();
    await type('I love balconies.', '/new', 'What do you know about me?');
    const before = concierge.sessionId;
    const [, number] = /^(\d)\. user: I love balconies/m.exec(await type('/memory'))!;
    await type(`/forget ${number}`);
    expect(await type('Book me a room.')).toContain('I remember no preference of yours');
    expect(concierge.sessionId).not.toBe(before);
  });

  it('/guest ends the conversation and switches guests, and rejects an invalid name', async () => {
    const { type } = chatWith();
    await type('I love balconies.');
    expect(await type('/guest')).toBe('The guest is alice. Write /guest <name> to change the guest.\n');
    expect(await type('/guest bob')).toBe('The conversation was added to memory.\nThe guest is now bob.\n');
    expect(await type('/memory')).toBe('Nothing is remembered.\n');
    expect(await type(`/guest ${'x'.repeat(600)}`)).toMatch(/^! INVALID_INPUT: [^\n]+\n$/);
    expect(await type('/guest alice', '/memory')).toContain('I love balconies.');
  });

  it('/quit sets hasQuit, other lines do not', async () => {
    const { chat, type } = chatWith();
    await type('bye', '/help');
    expect(chat.hasQuit).toBe(false);
    await type('/quit');
    expect(chat.hasQuit).toBe(true);
  });

  it('answers memory commands with “Memory is off” if there is no memory', async () => {
    const { type } = chatWith({ memory: false });
    for (const command of ['/memory', '/memory sea', '/forget', '/forget 1', '/remember me']) {
      expect(await type(command)).toBe('Memory is off. Nothing is remembered after this conversation.\n');
    }
    expect(await type('hello', '/new')).toContain('A new conversation starts.\n');
  });
});

describe('Chat.close', () => {
  it('adds the last conversation to memory', async () => {
    const { chat, services, type } = chatWith();
    await type('I love balconies.');
    expect(await chat.close()).toBe(true);
    const found = await services.memoryService!.searchMemory({ appName: 'hotel', userId: 'alice', query: 'balconies' });
    expect(found.memories).not.toEqual([]);
  });

  it('returns false if the conversation could not be added to memory', async () => {
    const memoryService = new InMemoryMemoryService();
    memoryService.addEventsToMemory = () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'The store is away.'));
    const { chat, type } = chatWith({ memoryService });
    await type('hello');
    expect(await type('/new')).toBe('! STORE_UNAVAILABLE: The store is away.\n');
    await type('hello');
    expect(await chat.close()).toBe(false);
  });
});
