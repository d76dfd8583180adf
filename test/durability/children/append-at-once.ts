// append-at-once.ts <url> <[session, tasks, steps]>: after it receives a line, appends the steps of all tasks concurrently. Reports the
// appends that failed.
import type { SessionRef } from '@thole/core';
import { openSessions } from '../open-sessions.ts';
import { stepOf } from '../steps.ts';
import { Channel } from './channel.ts';

const [url = '', work = ''] = process.argv.slice(2);
const [session, tasks, steps] = JSON.parse(work) as [SessionRef, string[], number];
const { service, close } = await openSessions(url);
const channel = new Channel<object>();
await service.getSession({ ...session, numRecentEvents: 0 });
channel.tell({ ready: true });
await channel.hear();

const failed: string[] = [];
await Promise.all(
  tasks.map(async (task) => {
    for (let n = 1; n <= steps; n++) {
      await service.appendEvent({ session, event: stepOf(task, n) }).catch((error) => failed.push(String(error)));
    }
  }),
);
channel.tell({ failed });
await close();
process.exit(0);
