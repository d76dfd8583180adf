import { silentTracer } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { expect, it } from 'vitest';
import { withTracer } from '../../src/traces/with-tracer.ts';

it('is the runtime in everything but its tracer, also where the runtime is of a class', async () => {
  const fixed = new FixedRuntime();
  const runtime = withTracer(fixed, silentTracer);
  let fired = false;
  runtime.timer(5, () => (fired = true));
  const slept = runtime.sleep(5);
  await fixed.advance(5);
  await slept;
  expect([fired, runtime.now(), runtime.monotonic()]).toEqual([true, fixed.now(), fixed.monotonic()]);
  expect([runtime.newId('event'), typeof runtime.random()]).toEqual(['event-1', 'number']);
  expect([runtime.logger, runtime.tracer]).toEqual([fixed.logger, silentTracer]);
});
