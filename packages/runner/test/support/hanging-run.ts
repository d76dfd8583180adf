// A program whose run waits only for a promise: `node --conditions=@thole/source hanging-run.ts [answers]`.
import { createEvent } from '@thole/core';
import type { Agent } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { Runner } from '../../src/runner/runner.ts';

const isQuick = process.argv[2] === 'answers';
const agent: Agent = {
  name: 'root',
  async *runAsync({ agentName: author, invocationId, runtime }) {
    if (!isQuick) await new Promise(() => {});
    yield createEvent({ author, invocationId, content: { parts: [{ text: 'Done.' }] } }, runtime);
  },
};
const sessionService = new InMemorySessionService();
const runner = new Runner({ appName: 'app', agent, sessionService, autoCreateSession: true });
const run = { userId: 'ann', sessionId: 's', newMessage: 'hello', runConfig: { timeLimitMs: isQuick ? 600_000 : 100 } };

async function main(): Promise<void> {
  let outcome = 'no error';
  try {
    await runner.runToCompletion(run);
  } catch (error) {
    outcome = String((error as { code?: string }).code);
  }
  const session = await sessionService.getSession({ appName: 'app', userId: 'ann', sessionId: 's' });
  console.log(`${outcome}, stored: ${session?.events.at(-1)?.errorCode ?? 'nothing'}`);
}

void main();
