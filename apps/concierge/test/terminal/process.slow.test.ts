import { describe, expect, it } from 'vitest';
import { lines, talkByPipe } from '../talk-by-pipe.ts';

describe('npm run chat from a pipe', () => {
  it('accepts a byte order mark, CRLF, empty lines and a last line without a line end', async () => {
    const talk = await talkByPipe('\uFEFFI love balconies.\r\n\r\n   \r\n/new\r\n\r\nBook me a room.');
    expect(talk).toMatchObject({ code: 0, errors: '' });
    expect(talk.answers).toHaveLength(2);
    expect(talk.answers[1]).toContain('with a balcony, as you prefer (“balconies”)');
  });

  it('exits with 0 for an empty input', async () => {
    expect(await talkByPipe('')).toMatchObject({ code: 0, errors: '', answers: [] });
  });

  it('stops reading at /quit, even if the input stays open', async () => {
    const talk = await talkByPipe(lines('/quit', 'hello'), { keepOpen: true });
    expect(talk).toMatchObject({ code: 0, errors: '', answers: [] });
  });

  it('exits with 0 at Ctrl-C between answers', async () => {
    let sent = false;
    const talk = await talkByPipe(lines('hello'), {
      keepOpen: true,
      onOutput(output, child) {
        if (sent || !/^concierge: .*\n/mu.test(output)) return;
        sent = true;
        child.signal('SIGINT');
      },
    });
    expect(talk).toMatchObject({ code: 0, errors: '' });
    expect(talk.answers).toHaveLength(1);
  });

  it('prints its options for --help and rejects unknown options with exit code 1', async () => {
    const help = await talkByPipe('', { args: ['--help'] });
    expect(help).toMatchObject({ code: 0, errors: '' });
    expect(help.output).toContain('--no-memory');
    const refused = await talkByPipe('', { args: ['--sing'] });
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors.split('\n')[0]).toMatch(/^! TypeError: .*--sing/);
  });

  it('answers the guest of --guest, without streaming for --no-stream', async () => {
    const talk = await talkByPipe(lines('hello', '/guest'), { args: ['--', '--guest', 'carol', '--no-stream'] });
    expect(talk.answers[0]).toMatch(/^Welcome!/);
    expect(talk.output).toContain('The guest is carol. Write /guest <name>');
  });
});
