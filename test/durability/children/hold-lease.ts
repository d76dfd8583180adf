// hold-lease.ts <url> <session> <ttlMs>: takes the lease of a session, reports it, and keeps it. For each line that it receives, it
// appends an event with its fence and reports the outcome.
import { createEvent, TholeError } from '@thole/core';
import type { SessionRef } from '@thole/core';
import { openSessions } from '../open-sessions.ts';
import { Channel } from './channel.ts';

const [url = '', ref = '', ttlMs = ''] = process.argv.slice(2);
const session = JSON.parse(ref) as SessionRef;
const { service } = await openSessions(url);
const channel = new Channel<object>();
const lease = await service.leasing!.lease(session, {
  ...{ invocationId: 'first', holder: 'child', policy: 'queue', waitMs: 1_000, maxWaiting: 1, cleanupMs: 1_000 },
  ttlMs: Number(ttlMs),
});
channel.tell({ held: true });
for (;;) {
  await channel.hear();
  const event = createEvent({ invocationId: 'first', author: 'agent' });
  try {
    await service.appendEvent({ session, event, fence: lease.fence });
    channel.tell({ appended: true });
  } catch (error) {
    channel.tell({ failed: TholeError.is(error) ? error.code : String(error) });
  }
}
