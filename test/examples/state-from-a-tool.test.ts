import { getFunctionResponses } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const key = { appName: 'app', userId: 'ann', sessionId: 's' };

// F043, with F035, F048 and F049.
describe('example: a tool that reads and writes state', () => {
  it('stores a tool’s state with its answer, and the next tool reads it (contracts 16, 18)', async () => {
    const read: unknown[] = [];
    const myTool = new FunctionTool({
      name: 'my_tool',
      description: 'Reads a value and writes another.',
      execute: (_args, { state }) => {
        read.push(state.get('my_key', 'default'));
        state.set('my_key', 'new_value');
        read.push(state.get('my_key'));
        return 'Tool result';
      },
    });
    const model = new ScriptedLlm(calls('my_tool'), calls('my_tool'), says('Done.'));
    const sessionService = new InMemorySessionService();
    await sessionService.createSession(key);
    const agent = new LlmAgent({ name: 'worker', model, tools: [myTool] });
    const runner = new Runner({ appName: 'app', agent, sessionService });
    const { events } = await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'Go.' });

    expect(read).toEqual(['default', 'new_value', 'new_value', 'new_value']);
    const answers = events.filter((event) => getFunctionResponses(event).length > 0);
    expect(answers.map((event) => event.actions.stateDelta)).toEqual([
      { my_key: 'new_value' },
      { my_key: 'new_value' },
    ]);
    expect(getFunctionResponses(answers[0]!)[0]?.response).toEqual({ result: 'Tool result' });
    expect((await sessionService.getSession(key))?.state).toEqual({ my_key: 'new_value' });
  });

  it('rejects a value that is not JSON and reports it to the model (contracts 5, 18)', async () => {
    const myTool = new FunctionTool({
      name: 'my_tool',
      description: 'Writes a value that cannot be stored.',
      execute: (_args, { state }) => state.set('when', { at: new Date(0) } as never),
    });
    const model = new ScriptedLlm(calls('my_tool'), says('That did not work.'));
    const sessionService = new InMemorySessionService();
    await sessionService.createSession(key);
    const agent = new LlmAgent({ name: 'worker', model, tools: [myTool] });
    const runner = new Runner({ appName: 'app', agent, sessionService });
    const { events, text } = await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'Go.' });
    expect(text).toBe('That did not work.');
    expect(getFunctionResponses(events[1]!)[0]?.response).toEqual({
      error: expect.stringContaining('state["when"].at'),
    });
    expect((await sessionService.getSession(key))?.state).toEqual({});
  });
});
