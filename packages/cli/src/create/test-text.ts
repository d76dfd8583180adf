/** The text of a new project's `agent.test.ts`. It needs no key and no network. */
export const testText = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getFunctionResponses, textOf } from '@thole/core';
import type { Llm, Part } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { Runner } from '@thole/runner';
import { createAgent } from './agent.ts';

/** A model that gives these answers, one after the other. */
function scripted(...answers: Part[]): Llm {
  return {
    specVersion: 1,
    model: 'scripted',
    async *generateContentAsync() {
      const part = answers.shift() ?? { text: 'The script is over.' };
      yield { content: { role: 'model', parts: [part] }, finishReason: 'STOP' };
    },
  };
}

const calls = (name: string, args: { [name: string]: string }): Part => ({ functionCall: { name, args } });

function runnerWith(...answers: Part[]): Runner {
  return new Runner({
    appName: 'test',
    agent: createAgent(scripted(...answers)),
    sessionService: new InMemorySessionService(),
    memoryService: new InMemoryMemoryService(),
    autoCreateSession: true,
  });
}

/** Says something in a session; returns the agent's answer and what its tools answered. */
async function say(runner: Runner, sessionId: string, newMessage: string) {
  const events = await Array.fromAsync(runner.runAsync({ userId: 'ada', sessionId, newMessage }));
  const tools = events.flatMap((event) => getFunctionResponses(event)).map(({ response }) => response);
  return { answer: textOf(events.at(-1)?.content), tools };
}

test('tells the time by its tool', async () => {
  const runner = runnerWith(calls('current_time', { timeZone: 'Asia/Tokyo' }), { text: 'It is late.' });
  const { answer, tools } = await say(runner, 'one', 'What time is it in Tokyo?');
  assert.match(String(tools[0]?.['time']), /^\\d\\d:\\d\\d$/);
  assert.equal(answer, 'It is late.');
});

test('refuses a time zone of the wrong type, and the model hears why', async () => {
  const runner = runnerWith({ functionCall: { name: 'current_time', args: { timeZone: 7 } } }, { text: 'Sorry.' });
  const { tools } = await say(runner, 'one', 'What time is it?');
  assert.match(String(tools[0]?.['error']), /timeZone/);
});

test('remembers in another session what it was told', async () => {
  const runner = runnerWith(
    calls('remember', { fact: 'Ada likes tea.' }),
    { text: 'I will.' },
    calls('load_memory', { query: 'tea' }),
    { text: 'You like tea.' },
  );
  await say(runner, 'one', 'Remember that I like tea.');
  const { tools } = await say(runner, 'two', 'What do I like?');
  assert.match(JSON.stringify(tools), /Ada likes tea\\./);
});
`;
