import type { Tool } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { z } from 'zod';
import { findTask, MAX_OPEN_TASKS, openTasksIn, putTask, tasksIn } from './task-board.ts';

/** Returns the tools of the task board: `add_task`, `complete_task` and `list_tasks`. Tasks belong to the user, on all channels. */
export function taskTools(): Tool[] {
  return [
    new FunctionTool({
      name: 'add_task',
      description:
        'Adds a task to the board of this user. Call it when the user wants to do something later or plans a project.',
      parameters: z.object({ title: z.string().trim().min(1).max(200).describe('The task in a few words.') }),
      idempotent: true,
      execute: ({ title }, { idempotencyKey, runtime, state }) => {
        const id = idempotencyKey.slice(0, 8);
        const stored = findTask(state, id);
        if (stored) return { task: stored };
        if (openTasksIn(state.toRecord()).length >= MAX_OPEN_TASKS)
          return { error: `The board is full: it has ${MAX_OPEN_TASKS} open tasks. Complete a task first.` };
        const task = { id, title, createdAt: runtime.now() };
        putTask(state, task);
        return { task };
      },
    }),
    new FunctionTool({
      name: 'complete_task',
      description: 'Marks a task of this user as done. list_tasks returns the ids.',
      parameters: z.object({ id: z.string() }),
      idempotent: true,
      execute: ({ id }, { runtime, state }) => {
        const task = findTask(state, id);
        if (!task) return { error: 'There is no task with this id.' };
        const done = { ...task, doneAt: task.doneAt ?? runtime.now() };
        putTask(state, done);
        return { task: done };
      },
    }),
    new FunctionTool({
      name: 'list_tasks',
      description: 'Lists the tasks of this user, oldest first. A task with doneAt is done.',
      idempotent: true,
      execute: (_args, { state }) => ({ tasks: tasksIn(state.toRecord()) }),
    }),
  ];
}
