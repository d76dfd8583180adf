import { expect, it } from 'vitest';
import { describeWith, isLong } from '../../../test/servers/index.ts';
import { serveAsProcess } from './serve-as-process.ts';
import { lines, talkByPipe } from './talk-by-pipe.ts';

// The services of MariaDB are those of PostgreSQL.
for (const kind of isLong ? (['redis', 'postgres', 'mariadb'] as const) : (['redis', 'postgres'] as const)) {
  describeWith(kind, `conversations of the concierge on ${kind}`, (url) => {
    const env = { THOLE_SESSION_URL: url };

    it('are listed by later processes, and remembered until /forget', async () => {
      const guest = `guest-${process.pid}-remembered-on-${kind}`;
      const args = ['--guest', guest];
      const first = await talkByPipe(lines('I prefer rooms on high floors.', '/sessions'), { env, args });
      expect(first).toMatchObject({ code: 0, errors: '' });
      const [id] = /\S+(?= {2}\(this one\))/.exec(first.output)!;
      const server = await serveAsProcess({ env });
      const answer = await server.say('Book me a room like last time.', { session: 'next', guest });
      expect(answer).toContain('as you prefer (“rooms on high floors”)');
      await server.say('I love balconies.', { session: 'next', guest });
      expect(await server.end()).toBe(0);
      const third = await talkByPipe(lines('/sessions', 'What do you know about me?', '/forget', 'yes'), { env, args });
      expect(third).toMatchObject({ code: 0, errors: '' });
      expect(third.output).toContain(`2 events  ${id}`);
      expect(third.output).toMatch(/I prefer rooms on high floors\.[^]*Forgotten: \d+ memories\./);
      expect(third.output).toContain('- I love balconies.');
      const last = await talkByPipe(lines('What do you know about me?', '/memory'), { env, args });
      expect(last.answers[0]).toBe('I remember no preference of yours.');
      expect(last.output).not.toContain('balconies');
    });
  });
}
