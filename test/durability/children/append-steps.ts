// append-steps.ts <url> <session> <tasks>: reports the last stored step of each task. Then appends the next steps, and reports each
// acknowledged step, until it receives a line.
import type { SessionRef } from '@thole/core';
import { openSessions } from '../open-sessions.ts';
import { appendSurely, stepOf } from '../steps.ts';
import { Channel } from './channel.ts';

const [url = '', ref = '', tasks = ''] = process.argv.slice(2);
const session = JSON.parse(ref) as SessionRef;
const { service, close } = await openSessions(url);
const channel = new Channel<object>();
let stopped = false;
void channel.hear().then(() => (stopped = true));

const stored = await service.getSession(session);
if (!stored) throw new Error('The session does not exist.');
await Promise.all(
  (JSON.parse(tasks) as string[]).map(async (task) => {
    let n = stored.events.filter((event) => event.invocationId === task).length;
    channel.tell({ task, n });
    while (!stopped) {
      n++;
      await appendSurely(service, session, stepOf(task, n));
      channel.tell({ task, n });
    }
  }),
);
await close();
process.exit(0);
