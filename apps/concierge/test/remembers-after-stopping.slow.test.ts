import { describe, expect, it } from 'vitest';
import { folderForTest } from './folder-for-test.ts';
import { randomWishes } from './random-wish.ts';
import { serveAsProcess } from './serve-as-process.ts';
import { lines, talkByPipe } from './talk-by-pipe.ts';

const seed = Number(process.env['THOLE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const [wish, other] = randomWishes(seed, 2);
const told = `I always want a room with ${wish}.`;
const order = 'Book me a room like last time.';

describe(`what a guest has told before the process was stopped (seed ${seed})`, { timeout: 120_000 }, () => {
  it('is known by the next chat, to that guest alone (contract 30)', async () => {
    const env = { THOLE_DATA: folderForTest() };
    expect(await talkByPipe(lines(told), { env })).toMatchObject({ code: 0, errors: '' });
    const next = await talkByPipe(lines(order, '/memory', '/guest bob', order), { env });
    expect(next).toMatchObject({ code: 0, errors: '' });
    expect(next.answers[0], next.output).toContain(`a room with ${wish}”`);
    expect(next.output).toContain(`. user: ${told}`);
    expect(next.answers.at(-1)).toContain('I remember no preference of yours');
  });

  it('is known also where the process was killed', async () => {
    const env = { THOLE_DATA: folderForTest() };
    let isKilled = false;
    await talkByPipe(lines(told, '/memory'), {
      env,
      keepOpen: true,
      onOutput(output, child) {
        if (isKilled || !output.includes(`. user: ${told}`)) return;
        isKilled = true;
        child.signal('SIGKILL');
      },
    });
    const next = await talkByPipe(lines(order), { env });
    expect(next.answers[0], next.output).toContain(`a room with ${wish}”`);
  });

  it('is known by the next server, in another conversation, and by the chat', async () => {
    const env = { THOLE_DATA: folderForTest() };
    const first = await serveAsProcess({ env });
    await first.say(told, { session: 'first' });
    expect(await first.end()).toBe(0);
    const second = await serveAsProcess({ env });
    expect(await second.say(order, { session: 'second' })).toContain(`a room with ${wish}”`);
    expect(await second.say(order, { session: 'third', guest: 'bob' })).toContain('I remember no preference of yours');
    const chat = await talkByPipe(lines(order, `I always want a room with ${other}.`), { env });
    expect(chat.answers[0], chat.output).toContain(`a room with ${wish}”`);
    expect(await second.say(order, { session: 'fourth' }), 'what the chat was told').toContain(`a room with ${other}”`);
    expect(await second.end()).toBe(0);
  });

  it('is known no more once it was forgotten, and does not come back (contract 31)', async () => {
    const env = { THOLE_DATA: folderForTest() };
    await talkByPipe(lines(told, '/forget', 'yes', 'hello'), { env });
    const next = await talkByPipe(lines(order, '/memory always want'), { env });
    expect(next.answers[0], next.output).toContain('I remember no preference of yours');
    expect(next.output).not.toContain(wish);
  });

  it('is neither taken nor asked for with --no-memory', async () => {
    const env = { THOLE_DATA: folderForTest() };
    await talkByPipe(lines(told), { env });
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
    expect(output).toContain(told);
    expect(output).not.toContain(other);
  });
});
