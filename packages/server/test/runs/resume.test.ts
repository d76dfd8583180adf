import { hangs, says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { demo, message } from '../demo.ts';

const resumeBody = (invocationId: string | undefined): object => message({ newMessage: undefined, invocationId });

describe.each(['/run', '/run_sse'])('POST %s without newMessage', (path) => {
  it('rejects a body without invocationId with INVALID_INPUT that names newMessage', async () => {
    const { post } = await demo();
    const answer = await post(path, resumeBody(undefined));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'INVALID_INPUT', detail: expect.stringContaining('newMessage') });
  });

  it('rejects an invocation that is unknown or has ended, and stores nothing', async () => {
    const { post, run, sessions } = await demo({ answers: [says('Hello.')] });
    const [first] = (await (await run('/run')).json()) as { invocationId: string }[];
    const session = { appName: 'demo', userId: 'ann', sessionId: 's' };
    for (const [id, status, code] of [
      ['nothing', 404, 'INVOCATION_NOT_FOUND'],
      [first!.invocationId, 409, 'INVOCATION_ENDED'],
    ] as const) {
      const answer = await post(path, resumeBody(id));
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code]);
    }
    expect((await sessions.getSession(session))!.events).toHaveLength(2);
  });

  it('answers SESSION_NOT_FOUND for an unknown session, and SESSION_BUSY for an active run', async () => {
    const { post, run } = await demo({ answers: [hangs()], onDisconnect: 'continue' });
    const gone = await post(path, { ...resumeBody('x'), sessionId: 'nowhere' });
    expect([gone.status, ((await gone.json()) as { code: string }).code]).toEqual([404, 'SESSION_NOT_FOUND']);
    const running = await run('/run_sse');
    const busy = await post(path, resumeBody(running.headers.get('x-thole-invocation-id')!));
    expect([busy.status, ((await busy.json()) as { code: string }).code]).toEqual([409, 'SESSION_BUSY']);
    await running.body!.cancel();
  });
});
