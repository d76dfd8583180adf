/** The text of a new project's `agent.test.ts`. The tests need no key and no network. */
export const testText = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getFunctionResponses, textOf } from '@thole/core';
import type { Llm, Part } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { Runner } from '@thole/runner';
import { createAgent } from './agent.ts';

/** Returns a model that answers with these parts, one after the other. */
function scripted(...answers: Part[]): Llm {
  return {
    specVersion: 1,
    model: 'scripted',
    async *generateContentAsync() {
      const part = answers.shift() ?? { text: 'The script has ended.' };
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

/** Sends a message in a session. Returns the agent's answer and the answers of its tools. */
async function send(runner: Runner, sessionId: string, newMessage: string) {
  const events = await Array.fromAsync(runner.runAsync({ userId: 'ada', sessionId, newMessage }));
  const tools = events.flatMap((event) => getFunctionResponses(event)).map(({ response }) => response);
  return { answer: textOf(events.at(-1)?.content), tools };
}

test('returns the time of the tool', async () => {
  const runner = runnerWith(calls('current_time', { timeZone: 'Asia/Tokyo' }), { text: 'It is late.' });
  const { answer, tools } = await send(runner, 'one', 'What time is it in Tokyo?');
  assert.match(String(tools[0]?.['time']), /^\\d\\d:\\d\\d$/);
  assert.equal(answer, 'It is late.');
});

test('returns an error to the model for a time zone of the wrong type', async () => {
  const runner = runnerWith({ functionCall: { name: 'current_time', args: { timeZone: 7 } } }, { text: 'Sorry.' });
  const { tools } = await send(runner, 'one', 'What time is it?');
  assert.match(String(tools[0]?.['error']), /timeZone/);
});

test('remembers a fact in another session', async () => {
  const runner = runnerWith(
    calls('remember', { fact: 'Ada likes tea.' }),
    { text: 'I will.' },
    calls('load_memory', { query: 'tea' }),
    { text: 'You like tea.' },
  );
  await send(runner, 'one', 'Remember that I like tea.');
  const { tools } = await send(runner, 'two', 'What do I like?');
  assert.match(JSON.stringify(tools), /Ada likes tea\\./);
});
`;
