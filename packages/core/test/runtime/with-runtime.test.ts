import { FixedRuntime, RecordingTracer } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../src/index.ts';
import { silentLogger, silentTracer, systemRuntime } from '../../src/index.ts';
import { withRuntime } from '../../src/kit.ts';

describe('withRuntime', () => {
  it('keeps every member of a class-based runtime except logger and tracer', async () => {
    const fixed = new FixedRuntime();
    const tracer = new RecordingTracer();
    const runtime = withRuntime(fixed, { logger: silentLogger, tracer });
    let fired = false;
    runtime.timer(5, () => (fired = true));
    const slept = runtime.sleep(5);
    await fixed.advance(5);
    await slept;
    expect([fired, runtime.now(), runtime.monotonic()]).toEqual([true, fixed.now(), fixed.monotonic()]);
    expect([runtime.newId('event'), typeof runtime.random()]).toEqual(['event-1', 'number']);
    expect([runtime.logger, runtime.tracer]).toEqual([silentLogger, tracer]);
  });

  it('calls the optional members as methods of the given runtime', async () => {
    class CountingRuntime extends FixedRuntime {
      #turns = 0;
      async afterMicrotasks(): Promise<void> {
        this.#turns++;
      }
      async eventLoopTurn(): Promise<void> {
        this.#turns++;
      }
      get turns(): number {
        return this.#turns;
      }
    }
    const given = new CountingRuntime();
    const { afterMicrotasks, eventLoopTurn } = withRuntime(given, {});
    await Promise.all([afterMicrotasks!(), eventLoopTurn!()]);
    expect(given.turns).toBe(2);
  });

  it('forwards the options of a timer', () => {
    const given: unknown[] = [];
    const timer: Runtime['timer'] = (...call) => {
      given.push(call[2]);
      return () => {};
    };
    withRuntime({ ...systemRuntime(), timer }, {}).timer(1, () => {}, { keepAlive: true });
    expect(given).toEqual([{ keepAlive: true }]);
  });

  it('has exactly the members of the system runtime', () => {
    const system = systemRuntime();
    const runtime = withRuntime(system, { tracer: silentTracer });
    expect(Object.keys(runtime).sort()).toEqual(Object.keys(system).sort());
    expect(runtime.logger).toBe(system.logger);
    const { afterMicrotasks: _, ...older } = system;
    expect(withRuntime(older, {})).not.toHaveProperty('afterMicrotasks');
  });
});
