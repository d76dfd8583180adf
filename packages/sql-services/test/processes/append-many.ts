// Appends `tasks` × `rounds` events to one session, with a key of each scope, all tasks concurrently. Prints the id of each
// acknowledged event on a line.
import { flushCompileCache } from 'node:module';
import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';

const [dbUrl = '', name = '', tasks = '1', rounds = '1'] = process.argv.slice(2);
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const service = new DatabaseSessionService(dbUrl);
await service.createSession(ref).catch((error: { code?: string }) => {
  if (error.code !== 'SESSION_ALREADY_EXISTS') throw error;
});
// Saves the compile cache for the next process now: this process may be killed.
flushCompileCache();
await Promise.all(
  Array.from({ length: Number(tasks) }, async (_, task) => {
    for (let round = 0; round < Number(rounds); round++) {
      const id = `${name}-${task}-${round}`;
      const stateDelta = { [`k-${id}`]: 1, [`user:k-${name}-${task}`]: round, [`app:k-${name}-${task}`]: round };
      await service.appendEvent({ session: ref, event: createEvent({ id, author: 'agent', actions: { stateDelta } }) });
      process.stdout.write(`${id}\n`);
    }
  }),
);
await service.close();
