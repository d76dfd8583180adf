import { FixedRuntime, ignores, says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { demo } from '../demo.ts';
import { allFrames, describeFrame } from '../frames.ts';

const cases = (['/run', '/run_sse'] as const).flatMap((path) =>
  (['abort', 'continue'] as const).map((onDisconnect) => ({ path, onDisconnect })),
);

describe.each(cases)('limits of POST $path with onDisconnect $onDisconnect', ({ path, onDisconnect }) => {
  it('answers 503 to a run over the limit, and stores nothing, until a run has ended', async () => {
    const runtime = new FixedRuntime();
    const { run, sessions } = await demo({
      ...{ onDisconnect, runtime, limits: { concurrentRuns: 2, runMs: 300 } },
      answers: [ignores(), ignores(), says('Later.')],
    });
    const others = ['t', 'u', 'v'].map((sessionId) => ({ sessionId }));
    for (const { sessionId } of others) await sessions.createSession({ appName: 'demo', userId: 'ann', sessionId });
    const first = [run(path, others[0]), run(path, others[1])];
    await expect.poll(async () => (await stored(sessions, 't')) + (await stored(sessions, 'u'))).toBe(2);
    const rejected = await run(path, others[2]);
    expect([rejected.status, await rejected.json()]).toEqual([
      503,
      { detail: 'The server already has 2 active runs, its maximum.', code: 'SERVER_BUSY' },
    ]);
    expect(await stored(sessions, 'v')).toBe(0);
    await runtime.advance(300);
    for (const response of await Promise.all(first)) await response.text();
    expect((await run(path, others[2])).status).toBe(200);
  });

  it('ends a run after its time limit, also if the model ignores the signal', async () => {
    const { run } = await demo({ onDisconnect, limits: { runMs: 50 }, answers: [ignores()] });
    const response = await run(path);
    if (path === '/run')
      expect([response.status, await response.json()]).toMatchObject([504, { code: 'RUN_TIME_LIMIT' }]);
    else expect((await allFrames(response)).map(describeFrame)).toEqual(['#2 RUN_TIME_LIMIT', '! RUN_TIME_LIMIT']);
  });
});

async function stored(sessions: Awaited<ReturnType<typeof demo>>['sessions'], sessionId: string): Promise<number> {
  return (await sessions.getSession({ appName: 'demo', userId: 'ann', sessionId }))!.events.length;
}
