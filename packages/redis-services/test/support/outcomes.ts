import { createEvent, TholeError } from '@thole/core';
import type { Event, SessionService } from '@thole/core';

/** The session that most tests use. */
export const ref = { appName: 'app', userId: 'u', sessionId: 's' };

/** An event that writes state in all scopes. */
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

/** `done`, or the code of the error; an error that has none is thrown on. And whether it came in time. */
export async function outcomeOf(doing: Promise<unknown>, withinMs: number): Promise<string> {
  const begin = performance.now();
  const outcome = await doing.then(
    () => 'done',
    (error: unknown) => {
      if (TholeError.is(error)) return error.code;
      throw error;
    },
  );
  const took = performance.now() - begin;
  // A second more than promised: the machine may be busy.
  return took <= withinMs + 1_000 ? outcome : `${outcome}, after ${Math.round(took)} ms`;
}

/** The ids that are stored, in order; throws where seq has a hole or state is not that of the events. */
export async function storedIds(service: SessionService): Promise<string[]> {
  const session = (await service.getSession(ref))!;
  const ids = session.events.map(({ id }) => id);
  const seqs = session.events.map(({ seq }) => seq);
  if (seqs.some((seq, i) => seq !== i + 1)) throw new Error(`seq has a hole: ${seqs.join()}`);
  const wanted = ids.flatMap((id) => [id, `user:${id}`, `app:${id}`]).sort();
  const found = Object.keys(session.state).sort();
  if (wanted.join() !== found.join()) throw new Error(`events ${wanted.join()}, but state ${found.join()}`);
  return ids;
}
