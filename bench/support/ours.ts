import { createEvent } from '@thole/core';
import type { Llm, LlmResponse, RunConfig, SessionRef } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { answer, instruction, question, textAt } from './history.ts';

/** Thole with in-memory services, and a model that answers at once. */
export class Ours {
  readonly service: InMemorySessionService = new InMemorySessionService();
  readonly runner: Runner;
  #count = 0;

  constructor(model: Llm = freeModel(), maxCachedSessions?: number) {
    const agent = new LlmAgent({ name: 'root', model, instruction });
    this.runner = new Runner({ appName: 'app', agent, sessionService: this.service, maxCachedSessions });
  }

  /** Returns a session with N events that the runner has not cached. */
  async createSession(length: number): Promise<string> {
    const ref: SessionRef = { appName: 'app', userId: 'u', sessionId: `s${this.#count++}` };
    await this.service.createSession(ref);
    for (let i = 0; i < length; i++) await this.service.appendEvent({ session: ref, event: eventAt(i) });
    return ref.sessionId;
  }

  async runTurn(sessionId: string, runConfig?: RunConfig): Promise<void> {
    for await (const event of this.runner.runAsync({ userId: 'u', sessionId, newMessage: question, runConfig }))
      void event;
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.runner.deleteSession({ userId: 'u', sessionId });
  }
}

/** Returns an event of a generated conversation. */
export function eventAt(index: number): ReturnType<typeof createEvent> {
  const ofUser = index % 2 === 0;
  const content = { role: ofUser ? ('user' as const) : ('model' as const), parts: [{ text: textAt(index) }] };
  return createEvent({ author: ofUser ? 'user' : 'root', invocationId: `i${index >> 1}`, content });
}

/** Returns a model that answers at once, or after `latencyMs`. */
export function freeModel(latencyMs = 0): Llm {
  return modelOf(async function* () {
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    yield { content: { role: 'model', parts: [{ text: answer }] }, finishReason: 'STOP' };
  });
}

/** Returns a model with these answers. */
export function modelOf(answers: () => AsyncGenerator<LlmResponse>): Llm {
  return { model: 'free', specVersion: 1, generateContentAsync: answers };
}
