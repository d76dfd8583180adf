import type { JsonObject, StateMap, Tool } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime, toolContextFor } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { putTask, tasksIn } from '../../src/tasks/task-board.ts';
import { describeTasks, taskLines } from '../../src/tasks/task-lines.ts';
import { taskTools } from '../../src/tasks/task-tools.ts';

const [addTask, completeTask, listTasks] = taskTools() as [Tool, Tool, Tool];

/** Calls tools of one user on stored state, as a runner does. */
async function board() {
  const runtime = new FixedRuntime();
  const sessions = new InMemorySessionService({ runtime });
  const session = { appName: 'companion', userId: 'ann', sessionId: 'ann:terminal' };
  await sessions.createSession(session);
  const stored = (): Promise<StateMap> => sessions.getUserState(session);
  async function call(tool: Tool, args: JsonObject = {}, idempotencyKey?: string): Promise<JsonObject> {
    const toolContext = toolContextFor({
      ...{ runtime, userId: 'ann', state: await stored() },
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    const answer = await tool.runAsync({ args, toolContext });
    const stateDelta = toolContext.state.takeDelta();
    if (stateDelta) await sessions.updateState({ ...session, stateDelta });
    return answer as JsonObject;
  }
  return { call, runtime, session, sessions, stored };
}

describe('task board', () => {
  it('adds, lists and completes tasks, and shows the open ones to the profile and /tasks', async () => {
    const { call, runtime, session, sessions } = await board();
    expect(await describeTasks(sessions, session)).toBe('There is no open task.');
    const { task } = (await call(addTask, { title: ' Plan the herb garden ' }, 'a'.repeat(64))) as { task: JsonObject };
    expect(task).toEqual({ id: 'aaaaaaaa', title: 'Plan the herb garden', createdAt: runtime.now() });
    await runtime.advance(1_000);
    await call(addTask, { title: 'Call the plumber' }, 'b'.repeat(64));
    expect(await taskLines(sessions).lines(session)).toEqual(['Plan the herb garden', 'Call the plumber']);
    await call(completeTask, { id: 'aaaaaaaa' });
    expect(await taskLines(sessions).lines(session)).toEqual(['Call the plumber']);
    expect(await describeTasks(sessions, session)).toBe('1. Call the plumber');
    expect(await call(listTasks)).toMatchObject({ tasks: [{ doneAt: runtime.now() }, { title: 'Call the plumber' }] });
  });

  it('adds a task once when the call is repeated', async () => {
    const { call, runtime, stored } = await board();
    const first = await call(addTask, { title: 'Once' }, 'c'.repeat(64));
    await runtime.advance(1_000);
    expect(await call(addTask, { title: 'Once' }, 'c'.repeat(64))).toEqual(first);
    expect(tasksIn(await stored())).toHaveLength(1);
  });

  it('returns an error for an unknown task and for a full board', async () => {
    const { call, session, sessions } = await board();
    expect(await call(completeTask, { id: 'x' })).toEqual({ error: 'There is no task with this id.' });
    const many = Array.from({ length: 200 }, (_, i) => [`user:task:${i}`, { id: `${i}`, title: 'x', createdAt: i }]);
    await sessions.updateState({ ...session, stateDelta: Object.fromEntries(many) as StateMap });
    const error = 'The board is full: it has 200 open tasks. Complete a task first.';
    expect(await call(addTask, { title: 'One more' })).toEqual({ error });
  });

  it('returns a stored task when the call is repeated and the board is full', async () => {
    const { call, session, sessions } = await board();
    const first = await call(addTask, { title: 'Once' }, 'd'.repeat(64));
    const many = Array.from({ length: 199 }, (_, i) => [`user:task:${i}`, { id: `${i}`, title: 'x', createdAt: i }]);
    await sessions.updateState({ ...session, stateDelta: Object.fromEntries(many) as StateMap });
    expect(await call(addTask, { title: 'Once' }, 'd'.repeat(64))).toEqual(first);
  });

  it('keeps the 20 newest finished tasks', () => {
    const { state } = toolContextFor({ runtime: new FixedRuntime(), userId: 'ann' });
    for (let i = 1; i <= 25; i++) putTask(state, { id: `${i}`, title: `Task ${i}`, createdAt: i, doneAt: i });
    const ids = tasksIn(state.toRecord()).map(({ id }) => Number(id));
    expect(ids).toEqual(Array.from({ length: 20 }, (_, i) => i + 6));
  });
});
