import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderForTest } from './folder-for-test.ts';
import { lines, talkByPipe } from './talk-by-pipe.ts';

const conversation = /^ {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}\d+ events {2}\S+/gm;

describe('conversations of the concierge', () => {
  it('are listed by a later process with their bookings, in the folder of THOLE_DATA', async () => {
    const folder = join(folderForTest(), 'is made', 'with 100%');
    const env = { THOLE_DATA: folder };
    const first = await talkByPipe(lines('Book me a room.', '/sessions'), { env });
    expect(first).toMatchObject({ code: 0, errors: '' });
    expect(first.output.match(conversation)).toHaveLength(1);
    expect(existsSync(join(folder, 'concierge.db'))).toBe(true);

    const second = await talkByPipe(lines('/sessions', 'Show my bookings.', '/sessions'), { env });
    expect(second).toMatchObject({ code: 0, errors: '' });
    const listed = second.output.match(conversation)!;
    expect(listed).toHaveLength(3);
    expect(first.output).toContain(listed[0]!.split('  ').at(-1));
    expect(second.output).toContain('[list_bookings() → bookings: [');
    const other = await talkByPipe(lines('/sessions'), { env, args: ['--guest', 'bob'] });
    expect(other.output).toContain('bob has had no conversation yet.');
  });

  it('are stored in the folder of the package manager’s caller by default', async () => {
    const folder = folderForTest();
    await talkByPipe(lines('hello'), { env: { INIT_CWD: folder, THOLE_DATA: '' } });
    expect(existsSync(join(folder, '.thole/concierge.db'))).toBe(true);
  });

  it('are stored in the file that THOLE_SESSION_URL names', async () => {
    const env = { THOLE_SESSION_URL: `sqlite:///${join(folderForTest(), 'mine.db')}` };
    await talkByPipe(lines('hello'), { env });
    const { output } = await talkByPipe(lines('/sessions'), { env });
    expect(output.match(conversation)).toHaveLength(1);
  });

  it('fail for an unknown kind of database, without printing its password', async () => {
    const talk = await talkByPipe(lines('hello'), { env: { THOLE_SESSION_URL: 'mongodb://ann:secret@host/db' } });
    expect(talk).toMatchObject({ code: 1, output: '' });
    expect(talk.errors).toMatch(/^! INVALID_INPUT: /);
    expect(talk.errors).not.toContain('secret');
  });
});
