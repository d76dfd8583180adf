import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createEvent, TholeError } from '@thole/core';
import type { DatabaseSessionService } from '@thole/sql-services';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };

/**
 * Runs of several services take the session from each other, because their leases expire while they append. Asserts that no
 * event of a run follows an event of a later run.
 */
export async function checkTakeOver(services: readonly DatabaseSessionService[], runs: number): Promise<void> {
  await services[0]!.createSession(ref);
  let next = 0;
  let working = services.length;
  const appended = new Map<string, number>();
  // Grows if a lease expires before its first append, on a slow machine.
  let ttlMs = 25;
  const work = async (service: DatabaseSessionService): Promise<void> => {
    while (next < runs || (appended.size < 2 && next < 10 * runs)) {
      const invocationId = `i${next++}`;
      const lease = await service.leasing!.lease(ref, {
        ...{ invocationId, holder: 'r', policy: 'queue', waitMs: 20_000, maxWaiting: 100, ttlMs, cleanupMs: 0 },
      });
      // No other run takes the session from the last one.
      for (let count = 0; count < 3_000 && (working > 1 || count === 0); count++) {
        try {
          const event = createEvent({ author: 'a', invocationId });
          await service.appendEvent({ session: ref, event, fence: lease.fence });
          appended.set(invocationId, count + 1);
          // An append to SQLite ends without a turn of the event loop, and the other runs wait with timers.
          await nextTurn();
        } catch (error) {
          assert.ok(TholeError.is(error, 'LEASE_LOST'), String(error));
          if (count === 0) ttlMs = Math.min(2 * ttlMs, 1_000);
          break;
        }
      }
    }
    working--;
  };
  await Promise.all(services.map(work));
  const { events } = (await services[0]!.getSession(ref))!;
  const inOrder = events.map((event) => event.invocationId).filter((id, i, ids) => id !== ids[i - 1]);
  assert.equal(new Set(inOrder).size, inOrder.length, `The events of a run are not consecutive: ${inOrder.join()}`);
  assert.equal(
    events.length,
    [...appended.values()].reduce((sum, count) => sum + count, 0),
  );
  assert.ok(appended.size > 1, 'Only one run has appended events.');
}
