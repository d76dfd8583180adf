import { expect, it } from 'vitest';
import { describeWith } from '../../../test/servers/index.ts';
import { lines, talkByPipe } from './talk-by-pipe.ts';

for (const kind of ['redis', 'postgres'] as const) {
  describeWith(kind, `conversations of the concierge on ${kind}`, (url) => {
    it('are listed by a later process', async () => {
      const env = { THOLE_SESSION_URL: url };
      const args = ['--guest', `guest ${process.pid} of ${kind}`];
      const first = await talkByPipe(lines('hello', '/sessions'), { env, args });
      expect(first).toMatchObject({ code: 0, errors: '' });
      const [id] = /\S+(?= {2}\(this one\))/.exec(first.output)!;
      const second = await talkByPipe(lines('/sessions'), { env, args });
      expect(second).toMatchObject({ code: 0, errors: '' });
      expect(second.output).toContain(`2 events  ${id}`);
    });
  });
}
