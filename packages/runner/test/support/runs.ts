import { createEvent } from '@thole/core';
import type { Agent, Event, InvocationContext, Lease, SessionService, Session, Runtime } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { Runner } from '../../src/runner/runner.ts';
import type { RunnerOptions } from '../../src/runner/runner-options.ts';

/** An agent that is one generator function. */
export function agentOf(
  name: string,
  runAsync: (context: InvocationContext) => AsyncGenerator<Event, void, Event>,
  more: Partial<Agent> = {},
): Agent {
  return { name, runAsync, ...more };
}

/** An agent that yields each text as a separate event. */
export function saying(name: string, ...texts: string[]): Agent {
  return agentOf(name, async function* (context) {
    for (const text of texts) yield says(context, text);
  });
}

export function says(context: InvocationContext, text: string, more: Partial<Event> = {}): Event {
  const { agentName, invocationId, runtime } = context;
  return createEvent(
    { author: agentName, invocationId, content: { role: 'model', parts: [{ text }] }, ...more },
    runtime,
  );
}

export const ref = { appName: 'app', userId: 'ann', sessionId: 's' };
export const hello = { userId: 'ann', sessionId: 's', newMessage: 'hello' };

export interface House {
  runtime: FixedRuntime;
  service: InMemorySessionService;
  runner: Runner;
  /** Another runner on the same service. */
  another(options?: Partial<RunnerOptions>): Runner;
  stored(): Promise<Session>;
}

/** A runner on an in-memory service, with a session that is there. */
export async function houseOf(agent: Agent, options: Partial<RunnerOptions> = {}): Promise<House> {
  const runtime = new FixedRuntime();
  const service = new InMemorySessionService({ runtime });
  await service.createSession(ref);
  const another = (more: Partial<RunnerOptions> = {}): Runner =>
    new Runner({ appName: 'app', agent, sessionService: service, runtime, ...options, ...more } as RunnerOptions);
  return { runtime, service, another, runner: another(), stored: async () => (await service.getSession(ref))! };
}

export function textsIn(events: readonly Event[]): string[] {
  return events.map(
    (event) =>
      (event.content?.parts ?? []).map((part) => part.text ?? '·').join('') || `(${event.errorCode ?? 'empty'})`,
  );
}

/** A session service whose leases do some things otherwise. */
export function withLease(
  service: SessionService,
  changes: Partial<Lease> | ((lease: Lease) => Partial<Lease>),
): SessionService {
  const leasing = service.leasing!;
  const changed = (lease: Lease): Lease => {
    const others = typeof changes === 'function' ? changes(lease) : changes;
    return new Proxy(lease, {
      get(target, name) {
        if (Object.hasOwn(others, name)) return others[name as keyof Lease];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value as (p: unknown) => unknown).bind(target) : value;
      },
    });
  };
  const lease: typeof leasing.lease = async (...p) => changed(await leasing.lease(...p));
  return new Proxy(service, {
    get(target, name) {
      if (name === 'leasing') return { ...leasing, lease };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (p: unknown) => unknown).bind(target) : value;
    },
  });
}

/** A session service that counts what is asked of it. */
export function counting(service: SessionService): {
  service: SessionService;
  reads: { afterSeq: number | undefined }[];
  appends: () => number;
} {
  const reads: { afterSeq: number | undefined }[] = [];
  let appends = 0;
  const counted = new Proxy(service, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (p: { afterSeq?: number }) => {
        if (name === 'getSession') reads.push({ afterSeq: p.afterSeq });
        if (name === 'appendEvent') appends++;
        return (value as (p: unknown) => unknown).call(target, p);
      };
    },
  });
  return { service: counted, reads, appends: () => appends };
}

/** Lets everything that can go on without the clock go on. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

export type { Runtime };
