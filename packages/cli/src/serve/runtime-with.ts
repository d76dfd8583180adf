import type { Logger, Runtime, Tracer } from '@thole/core';

/** A runtime with another logger, and another tracer where one is given. It may be of any class, so it is not spread. */
export function runtimeWith(runtime: Runtime, p: { logger: Logger; tracer: Tracer | undefined }): Runtime {
  return {
    now: () => runtime.now(),
    monotonic: () => runtime.monotonic(),
    newId: (kind) => runtime.newId(kind),
    random: () => runtime.random(),
    sleep: (ms, signal) => runtime.sleep(ms, signal),
    timer: (ms, fn) => runtime.timer(ms, fn),
    logger: p.logger,
    tracer: p.tracer ?? runtime.tracer,
  };
}
