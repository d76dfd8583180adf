import { describe, expect, it } from 'vitest';
import { folderForTest } from './folder-for-test.ts';
import { randomWishes } from './random-wish.ts';
import { serveAsProcess } from './serve-as-process.ts';
import { lines, talkByPipe } from './talk-by-pipe.ts';

const seed = Number(process.env['THOLE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const [wish, other] = randomWishes(seed, 2);
const message = `I always want a room with ${wish}.`;
const order = 'Book me a room like last time.';

describe(`messages of an earlier process (seed ${seed})`, { timeout: 120_000 }, () => {
  it('are known to the next chat, only for their guest (contract 30)', async () => {
    const env = { THOLE_DATA: folderForTest() };
    expect(await talkByPipe(lines(message), { env })).toMatchObject({ code: 0, errors: '' });
    const next = await talkByPipe(lines(order, '/memory', '/guest bob', order), { env });
    expect(next).toMatchObject({ code: 0, errors: '' });
    expect(next.answers[0], next.output).toContain(`a room with ${wish}”`);
    expect(next.output).toContain(`. user: ${message}`);
    expect(next.answers.at(-1)).toContain('I remember no preference of yours');
  });

  it('are known after the process was killed', async () => {
    const env = { THOLE_DATA: folderForTest() };
    let isKilled = false;
    await talkByPipe(lines(message, '/memory'), {
      env,
      keepOpen: true,
      onOutput(output, child) {
        if (isKilled || !output.includes(`. user: ${message}`)) return;
        isKilled = true;
        child.signal('SIGKILL');
      },
    });
    const next = await talkByPipe(lines(order), { env });
    expect(next.answers[0], next.output).toContain(`a room with ${wish}”`);
  });

  it('are known to the next server, in another conversation, and to the chat', async () => {
    const env = { THOLE_DATA: folderForTest() };
    const first = await serveAsProcess({ env });
    await first.say(message, { session: 'first' });
    expect(await first.end()).toBe(0);
    const second = await serveAsProcess({ env });
    expect(await second.say(order, { session: 'second' })).toContain(`a room with ${wish}”`);
    expect(await second.say(order, { session: 'third', guest: 'bob' })).toContain('I remember no preference of yours');
    const chat = await talkByPipe(lines(order, `I always want a room with ${other}.`), { env });
    expect(chat.answers[0], chat.output).toContain(`a room with ${wish}”`);
    expect(await second.say(order, { session: 'fourth' }), 'the message of the chat').toContain(
      `a room with ${other}”`,
    );
    expect(await second.end()).toBe(0);
  });

  it('are unknown after /forget (contract 31)', async () => {
    const env = { THOLE_DATA: folderForTest() };
    await talkByPipe(lines(message, '/forget', 'yes', 'hello'), { env });
    const next = await talkByPipe(lines(order, '/memory always want'), { env });
    expect(next.answers[0], next.output).toContain('I remember no preference of yours');
    expect(next.output).not.toContain(wish);
  });

  it('are neither stored nor searched with --no-memory', async () => {
    const env = { THOLE_DATA: folderForTest() };
    await talkByPipe(lines(message), { env });
    const args = ['--no-memory'];
    const without = await talkByPipe(lines(`I always want a room with ${other}.`, '/new', order, '/memory'), {
      env,
      args,
    });
    expect(without.output).not.toMatch(/load_memory|conversation is in memory/);
    expect(without.output).toContain('Memory is off');
    expect(without.output).not.toContain(`a room with ${wish}”`);
    const server = await serveAsProcess({ env, args });
    expect(await server.say(order, { session: 's' })).toContain('I have no memory of earlier conversations here');
    const page = await fetch(`${server.url}/apps/hotel/users/user/memory`);
    expect(page.ok).toBe(false);
    await server.end();
    const { output } = await talkByPipe(lines('/memory'), { env });
    expect(output).toContain(message);
    expect(output).not.toContain(other);
  });
});
