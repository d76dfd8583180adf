import type { Runtime, Tracer } from '@thole/core';

/** A runtime with another tracer. Delegated and not spread: a runtime may be of a class. */
export function withTracer(runtime: Runtime, tracer: Tracer): Runtime {
  return {
    now: () => runtime.now(),
    monotonic: () => runtime.monotonic(),
    newId: (kind) => runtime.newId(kind),
    random: () => runtime.random(),
    sleep: (ms, signal) => runtime.sleep(ms, signal),
    timer: (ms, fn) => runtime.timer(ms, fn),
    logger: runtime.logger,
    tracer,
  };
}
