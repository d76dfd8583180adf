import { inNewSpan } from '@thole/core/kit';
import type { TracedWork } from '@thole/core/kit';
import type { Runtime } from '@thole/core';

/** The runtime whose tracer records the spans. */
export type TracingRuntime = Pick<Runtime, 'tracer' | 'logger'>;

/** Returns the name and the attributes of a call's span. Undefined if the call has no span. */
export type Describe = (request: never, p: { capturesContent: boolean }) => TracedWork<never> | undefined;

type Method = (...args: unknown[]) => Promise<unknown>;

/**
 * Returns an object that behaves like the service and records a span for each call of a described method. All other members
 * are those of the service, bound to it. So optional abilities stay available, and calls inside the service have no spans.
 */
export function tracedService<S extends object>(
  service: S,
  runtime: TracingRuntime,
  descriptions: ReadonlyMap<PropertyKey, Describe>,
): S {
  const { tracer } = runtime;
  if (tracer.isSilent) return service;
  const known = new Map<PropertyKey, { readonly method: Method; readonly wrapped: Method }>();
  const wrap = (name: PropertyKey, method: Method): Method => {
    const bound: Method = method.bind(service);
    const describe = descriptions.get(name);
    if (!describe) return bound;
    return (...args) => {
      let traced: TracedWork<never> | undefined;
      try {
        traced = describe(args[0] as never, { capturesContent: tracer.capturesContent === true });
      } catch {
        // The request is invalid. The service rejects it, so the call has no span.
      }
      return traced ? inNewSpan<unknown>(runtime, traced as TracedWork<unknown>, () => bound(...args)) : bound(...args);
    };
  };
  // The target is an empty object, because a proxy of a frozen service may not replace its methods.
  return new Proxy({} as S, {
    get(_target, name) {
      const member: unknown = Reflect.get(service, name);
      if (typeof member !== 'function' || name === 'constructor') return member;
      const method = member as Method;
      let entry = known.get(name);
      if (entry?.method !== method) known.set(name, (entry = { method, wrapped: wrap(name, method) }));
      return entry.wrapped;
    },
    set: (_target, name, value) => Reflect.set(service, name, value),
    has: (_target, name) => name in service,
    getPrototypeOf: () => Object.getPrototypeOf(service) as object | null,
  });
}
