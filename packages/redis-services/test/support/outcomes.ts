import { createEvent, TholeError } from '@thole/core';
import type { Event, LeaseRequest, SessionService } from '@thole/core';

/** The session that most tests use. */
export const ref = { appName: 'app', userId: 'u', sessionId: 's' };

/** Returns an event that writes state in all scopes. */
export function eventOf(id: string): Event {
  const actions = { stateDelta: { [id]: 1, [`user:${id}`]: 1, [`app:${id}`]: 1 } };
  return createEvent({
    id,
    invocationId: 'i',
    author: 'agent',
    content: { role: 'model', parts: [{ text: id }] },
    actions,
  });
}

/** Returns a request for a lease: policy `queue`, and times that are long enough for a test. */
export function leaseRequest(invocationId: string, changes: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    ...{ invocationId, holder: 'h', policy: 'queue', waitMs: 60_000, maxWaiting: 4, ttlMs: 60_000, cleanupMs: 1_000 },
    ...changes,
  };
}

/** Returns `done` or the code of the error, with the time if the call took too long. Throws errors without a code. */
export async function outcomeOf(call: Promise<unknown>, withinMs: number): Promise<string> {
  const start = performance.now();
  const outcome = await call.then(
    () => 'done',
    (error: unknown) => {
      if (TholeError.is(error)) return error.code;
      throw error;
    },
  );
  const tookMs = performance.now() - start;
  // Five seconds more than promised, because the machine may be busy.
  return tookMs <= withinMs + 5_000 ? outcome : `${outcome}, after ${Math.round(tookMs)} ms`;
}

/** Returns the stored ids in order. Throws if seq has a gap, or if the state does not fit the events. */
export async function storedIds(service: SessionService): Promise<string[]> {
  const session = (await service.getSession(ref))!;
  const ids = session.events.map(({ id }) => id);
  const seqs = session.events.map(({ seq }) => seq);
  if (seqs.some((seq, i) => seq !== i + 1)) throw new Error(`seq has a gap: ${seqs.join()}`);
  const expected = ids.flatMap((id) => [id, `user:${id}`, `app:${id}`]).sort();
  const found = Object.keys(session.state).sort();
  if (expected.join() !== found.join()) throw new Error(`events ${expected.join()}, but state ${found.join()}`);
  return ids;
}
