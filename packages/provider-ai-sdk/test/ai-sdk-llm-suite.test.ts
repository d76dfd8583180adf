import type { ProtocolServer } from '@thole/testing/http';
import { llmCases, register } from '@thole/testing';
import type { LlmSubject } from '@thole/testing';
import { describe, it } from 'vitest';
import { AiSdkLlm } from '../src/index.ts';
import type { AiSdkLlmOptions } from '../src/index.ts';
import { aiSdkSubjects } from './ai-sdk-server.ts';
import type { AiSdkSubject } from './ai-sdk-server.ts';

/** The model against a server that plays the scenario, and the servers that were started for it. */
class Subject implements LlmSubject {
  readonly unreadableType = 'font/woff2';
  readonly #servers: ProtocolServer[] = [];
  readonly #subject: AiSdkSubject;
  readonly #options: AiSdkLlmOptions;

  constructor(subject: AiSdkSubject, options: AiSdkLlmOptions = {}) {
    this.#subject = subject;
    this.#options = options;
  }

  async llm(scenario: Parameters<LlmSubject['llm']>[0]): Promise<AiSdkLlm> {
    const server = await this.#subject.start(scenario);
    this.#servers.push(server);
    const models = this.#subject.model(server.url, scenario);
    return new AiSdkLlm(models(), { retry: false, models, ...this.#options });
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

const CLAIMS = ['cuts', 'stalls', 'connections', 'images', 'answer-images', 'request-model'];

const WITHOUT_TOP_P = { 'llm.sends-settings': 'the package drops topP next to temperature, with a warning' };

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/anthropic)',
  claims: [...CLAIMS, 'thoughts', 'signatures', 'stop-sequences', 'refuses-media'],
  create: () => new Subject(aiSdkSubjects.anthropic),
  destroy: (subject) => (subject as Subject).close(),
  pending: WITHOUT_TOP_P,
});

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/anthropic, specification v3)',
  claims: [...CLAIMS, 'thoughts', 'signatures', 'stop-sequences', 'refuses-media'],
  create: () => new Subject(aiSdkSubjects['anthropic-v3']),
  destroy: (subject) => (subject as Subject).close(),
  pending: WITHOUT_TOP_P,
});

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/google)',
  claims: [...CLAIMS, 'thoughts', 'signatures', 'stop-sequences'],
  create: () => new Subject(aiSdkSubjects.google),
  destroy: (subject) => (subject as Subject).close(),
});

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/openai, Responses API)',
  claims: [...CLAIMS, 'thoughts', 'signatures', 'refuses-media'],
  create: () => new Subject(aiSdkSubjects.responses, { providerOptions: { openai: { store: false } } }),
  destroy: (subject) => (subject as Subject).close(),
});

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/openai, Chat Completions)',
  claims: [...CLAIMS, 'stop-sequences', 'refuses-media'],
  create: () => new Subject(aiSdkSubjects.chat),
  destroy: (subject) => (subject as Subject).close(),
});

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/openai-compatible)',
  claims: [...CLAIMS, 'thoughts', 'stop-sequences', 'refuses-media'],
  create: () => new Subject(aiSdkSubjects.compatible),
  destroy: (subject) => (subject as Subject).close(),
});
