import { says, FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { demo, sessionPath } from '../demo.ts';

describe('HEAD …/runs/{invocation}/events', () => {
  it('leaves no timer', async () => {
    const fixed = new FixedRuntime();
    let timers = 0;
    const timer: FixedRuntime['timer'] = (ms, fn) => {
      timers++;
      const cancel = FixedRuntime.prototype.timer.call(fixed, ms, fn);
      let isCancelled = false;
      return () => {
        if (!isCancelled) timers--;
        isCancelled = true;
        cancel();
      };
    };
    const { handler, run } = await demo({ runtime: Object.assign(fixed, { timer }), answers: [says('Hello.')] });
    const response = await run('/run_sse');
    await response.text();
    const before = timers;
    const path = `${sessionPath}/runs/${response.headers.get('x-thole-invocation-id')}/events`;
    const head = await handler(new Request(`http://localhost${path}`, { method: 'HEAD' }));
    expect([head.status, head.body, timers - before]).toEqual([200, null, 0]);
  });
});
