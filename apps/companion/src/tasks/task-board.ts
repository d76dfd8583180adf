import type { ReadonlyState, State, StateMap } from '@thole/core';

/** A task of a user. A type, because an interface is not assignable to JSON. */
export type Task = {
  id: string;
  title: string;
  /** Seconds since the epoch. */
  createdAt: number;
  /** Seconds since the epoch. Set when the task is done. */
  doneAt?: number;
};

/** Maximum number of open tasks of a user. */
export const MAX_OPEN_TASKS = 200;
/** Number of finished tasks that are kept. */
const MAX_DONE_TASKS = 20;
// One key per task, so that two channels of a user do not overwrite each other's tasks.
const PREFIX = 'user:task:';

/** Returns the tasks in a user's state, oldest first. */
export function tasksIn(state: StateMap): Task[] {
  const tasks = Object.entries(state).flatMap(([key, value]) => (key.startsWith(PREFIX) ? [value as Task] : []));
  return tasks.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** Returns the open tasks in a user's state, oldest first. */
export function openTasksIn(state: StateMap): Task[] {
  return tasksIn(state).filter(({ doneAt }) => doneAt === undefined);
}

/** Stores a new or changed task, and deletes the oldest finished tasks over the limit. */
export function putTask(state: State, task: Task): void {
  state.set(PREFIX + task.id, task);
  const done = tasksIn(state.toRecord()).filter(({ doneAt }) => doneAt !== undefined);
  const expired = done.toSorted((a, b) => b.doneAt! - a.doneAt!).slice(MAX_DONE_TASKS);
  for (const { id } of expired) state.delete(PREFIX + id);
}

/** Returns a task by its id. */
export function findTask(state: ReadonlyState, id: string): Task | undefined {
  return state.get<Task>(PREFIX + id);
}
