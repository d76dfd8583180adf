// write-at-once.ts <url>: `{first}` opens the database, creates a session and appends to it; `{append}` appends the steps of all tasks
// concurrently. Reports the calls that failed.
import type { SessionRef } from '@thole/core';
import { openSessions } from '../open-sessions.ts';
import type { OpenSessions } from '../open-sessions.ts';
import { stepOf } from '../steps.ts';
import { Channel } from './channel.ts';

export type Command = { first: string } | { append: { session: SessionRef; tasks: string[]; steps: number } };

const [url = ''] = process.argv.slice(2);
const channel = new Channel<Command>();
let opened: OpenSessions | undefined;
channel.tell({ ready: true });
for (;;) {
  const command = await channel.hear();
  opened ??= await openSessions(url);
  const { service } = opened;
  const failed: string[] = [];
  const append = async (session: SessionRef, task: string, steps: number): Promise<void> => {
    for (let n = 1; n <= steps; n++) {
      await service.appendEvent({ session, event: stepOf(task, n) }).catch((error) => failed.push(String(error)));
    }
  };
  if ('first' in command) {
    const session = { appName: 'first', userId: command.first, sessionId: command.first };
    await service.createSession(session).catch((error) => failed.push(String(error)));
    await append(session, command.first, 3);
  } else {
    const { session, steps, tasks } = command.append;
    await Promise.all(tasks.map((task) => append(session, task, steps)));
  }
  channel.tell({ failed });
}
