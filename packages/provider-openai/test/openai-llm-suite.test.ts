import type { ProtocolServer } from '@thole/testing/http';
import { llmCases, register } from '@thole/testing';
import type { LlmSubject } from '@thole/testing';
import { describe, it } from 'vitest';
import { OpenAi } from '../src/index.ts';
import { startChatServer } from './chat-server.ts';
import { startResponsesServer } from './responses-server.ts';

const CLAIMS = [
  'thoughts',
  'cuts',
  'stalls',
  'connections',
  'images',
  'answer-images',
  'request-model',
  'refuses-media',
];

/** Creates models, and a server for each that plays the scenario. */
class Subject implements LlmSubject {
  readonly unreadableType = 'video/mp4';
  readonly #servers: ProtocolServer[] = [];
  readonly #api: 'chat' | 'responses';
  readonly #start: typeof startChatServer;

  constructor(api: 'chat' | 'responses', start: typeof startChatServer) {
    this.#api = api;
    this.#start = start;
  }

  async llm(scenario: Parameters<LlmSubject['llm']>[0]): Promise<OpenAi> {
    const server = await this.#start(scenario);
    this.#servers.push(server);
    return new OpenAi({
      // A thinking model does not accept a temperature.
      model: scenario.thoughts ? 'gpt-5-mini' : 'gpt-4.1-mini',
      apiKey: 'sk-local',
      baseUrl: `${server.url}/v1`,
      api: this.#api,
      retry: false,
    });
  }

  received(): readonly unknown[] {
    return this.#servers.flatMap(({ requests }) => requests);
  }

  async allEnded(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.allEnded()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

register({ describe, it }, llmCases, {
  name: 'OpenAi (Chat Completions)',
  claims: [...CLAIMS, 'stop-sequences'],
  create: () => new Subject('chat', startChatServer),
  destroy: (subject) => (subject as Subject).close(),
});

register({ describe, it }, llmCases, {
  name: 'OpenAi (Responses API)',
  claims: [...CLAIMS, 'signatures'],
  create: () => new Subject('responses', startResponsesServer),
  destroy: (subject) => (subject as Subject).close(),
});
