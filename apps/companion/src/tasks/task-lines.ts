import type { SessionService, UserRef } from '@thole/core';
import type { ProfileSource } from '@thole/memory';
import { openTasksIn } from './task-board.ts';

/** Returns the source that adds the open tasks of a user to the profile. */
export function taskLines(sessions: SessionService): ProfileSource {
  return {
    name: 'open tasks',
    lines: async ({ appName, userId, signal }) => {
      const state = await sessions.getUserState({ appName, userId, signal });
      return openTasksIn(state).map(({ title }) => title);
    },
  };
}

/** Returns the answer to `/tasks`. */
export async function describeTasks(sessions: SessionService, user: UserRef): Promise<string> {
  const tasks = openTasksIn(await sessions.getUserState(user));
  if (tasks.length === 0) return 'There is no open task.';
  return tasks.map(({ title }, i) => `${i + 1}. ${title}`).join('\n');
}
