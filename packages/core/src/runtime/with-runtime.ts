import { definedMembers } from '../json/defined-members.ts';
import type { Logger, Runtime, Tracer } from './runtime.ts';

/** Every member of a runtime. The compiler rejects a list that lacks one. */
type EveryMember = { readonly [name in keyof Required<Runtime>]: Runtime[name] | undefined };

/**
 * Returns a runtime with another logger or tracer. All other members call the given runtime. The members are not
 * copied, because the runtime may be an instance of a class with private fields.
 */
export function withRuntime(
  runtime: Runtime,
  p: { logger?: Logger | undefined; tracer?: Tracer | undefined },
): Runtime {
  const members: EveryMember = {
    now: () => runtime.now(),
    monotonic: () => runtime.monotonic(),
    newId: (kind) => runtime.newId(kind),
    random: () => runtime.random(),
    sleep: (ms, signal) => runtime.sleep(ms, signal),
    timer: (ms, fn, options) => runtime.timer(ms, fn, options),
    afterMicrotasks: runtime.afterMicrotasks && (() => runtime.afterMicrotasks!()),
    eventLoopTurn: runtime.eventLoopTurn && (() => runtime.eventLoopTurn!()),
    logger: p.logger ?? runtime.logger,
    tracer: p.tracer ?? runtime.tracer,
  };
  // Optional members stay absent if the runtime has none.
  return definedMembers(members) as Runtime;
}
