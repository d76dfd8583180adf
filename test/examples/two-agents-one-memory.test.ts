import { getFunctionCalls, getFunctionResponses, isFinalResponse, textOf } from '@thole/core';
import type { LlmRequest, SearchMemoryRequest, SearchMemoryResponse } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, modelNamed, says, ScriptedLlm } from '@thole/testing';
import { LOAD_MEMORY } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const appName = 'memory_example_app';
const userId = 'mem_user';
const MODEL = 'gemini-2.0-flash';

/** Logs each search and its first result. */
class LoggingMemory extends InMemoryMemoryService {
  readonly #log: (step: string) => void;

  constructor(log: (step: string) => void) {
    super();
    this.#log = log;
  }

  override async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    this.#log(`memory is searched for "${p.query}"`);
    const found = await super.searchMemory(p);
    this.#log(`memory finds "${textOf(found.memories[0]?.content)}" first`);
    return found;
  }
}

// F342, with F011, F103 and F114.
describe('example: two agents that share a memory', () => {
  it('answers with the second agent from the first agent’s memory in seven steps (contracts 16, 18, 31, 32)', async () => {
    const steps: string[] = [];
    const model = new ScriptedLlm(
      says('Noted, thank you.'),
      (request) => {
        steps.push(`user sends "${textOf(request.contents.at(-1))}"`);
        return calls('load_memory', { query: 'favorite project' }, 'call-1');
      },
      (request) => {
        const text = foundText(request);
        steps.push(`model receives "${text}"`);
        return says(`Your favorite project is ${text.match(/Project \w+/)?.[0] ?? 'unknown'}.`);
      },
    );
    const infoCaptureAgent = new LlmAgent({
      name: 'InfoCaptureAgent',
      model: MODEL,
      instruction: "Acknowledge the user's statement.",
    });
    const memoryRecallAgent = new LlmAgent({
      name: 'MemoryRecallAgent',
      model: MODEL,
      instruction: 'Answer the question. Use load_memory if the answer might be in past conversations.',
      tools: [LOAD_MEMORY],
    });
    const sessionService = new InMemorySessionService();
    const memoryService = new LoggingMemory((step) => void steps.push(step));
    const models = [modelNamed(MODEL, model)];
    const runner = new Runner({ appName, agent: infoCaptureAgent, sessionService, memoryService, models });

    // The first turn, in a separate session that is then added to memory.
    await sessionService.createSession({ appName, userId, sessionId: 'session_info' });
    const first = await runner.runToCompletion({
      userId,
      sessionId: 'session_info',
      newMessage: { role: 'user', parts: [{ text: 'My favorite project is Project Alpha.' }] },
    });
    expect(first.text).toBe('Noted, thank you.');
    expect(steps, 'nothing was searched').toEqual([]);
    const completed = await sessionService.getSession({ appName, userId, sessionId: 'session_info' });
    await memoryService.addSessionToMemory(completed!);

    // The second turn, in another session, by the other agent.
    await sessionService.createSession({ appName, userId, sessionId: 'session_recall' });
    runner.agent = memoryRecallAgent;
    let answer = '';
    const newMessage = { role: 'user' as const, parts: [{ text: 'What is my favorite project?' }] };
    for await (const event of runner.runAsync({ userId, sessionId: 'session_recall', newMessage })) {
      for (const call of getFunctionCalls(event)) steps.push(`${event.author} calls ${call.name}`);
      for (const { name } of getFunctionResponses(event)) steps.push(`${name} answers`);
      if (!isFinalResponse(event)) continue;
      answer = textOf(event.content);
      steps.push(`${event.author} says "${answer}"`);
      break;
    }

    expect(answer).toBe('Your favorite project is Project Alpha.');
    expect(steps).toEqual([
      'user sends "What is my favorite project?"',
      'MemoryRecallAgent calls load_memory',
      'memory is searched for "favorite project"',
      'memory finds "My favorite project is Project Alpha." first',
      'load_memory answers',
      'model receives "My favorite project is Project Alpha."',
      'MemoryRecallAgent says "Your favorite project is Project Alpha."',
    ]);
    model.assertDone();
  });

  it('stores the whole turn if the loop is left at the final answer (contract 23)', async () => {
    const model = new ScriptedLlm(says('One.'), says('Two.'));
    const sessionService = new InMemorySessionService();
    const agent = new LlmAgent({ name: 'counter', model });
    const runner = new Runner({ appName, agent, sessionService, autoCreateSession: true });
    const run = { userId, sessionId: 's', newMessage: 'Go on.' };
    for await (const event of runner.runAsync(run)) if (isFinalResponse(event)) break;
    expect((await runner.runToCompletion(run)).text).toBe('Two.');
    const read = await sessionService.getSession({ appName, userId, sessionId: 's' });
    const said = read?.events.filter((event) => event.content).map((event) => textOf(event.content));
    expect(said).toEqual(['Go on.', 'One.', 'Go on.', 'Two.']);
    expect(textsOf(model.requests[1]), 'no closing record reaches the model').toEqual(['Go on.', 'One.', 'Go on.']);
  });
});

function foundText(request: LlmRequest): string {
  const response = request.contents.at(-1)?.parts?.[0]?.functionResponse?.response as { memories: { text: string }[] };
  return response.memories[0]!.text;
}

function textsOf(request: LlmRequest | undefined): string[] {
  return (request?.contents ?? []).map(textOf);
}
