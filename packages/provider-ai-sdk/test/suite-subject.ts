import type { LlmSubject } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { AiSdkLlm } from '../src/index.ts';
import type { AiSdkLlmOptions } from '../src/index.ts';
import type { AiSdkSubject } from './ai-sdk-server.ts';

/** Creates models, and a server for each that plays the scenario. */
export class SuiteSubject implements LlmSubject {
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

/** The features of the suite that every package supports. */
export const commonClaims: readonly string[] = [
  'cuts',
  'stalls',
  'connections',
  'images',
  'answer-images',
  'request-model',
];

/** The cases that packages for Claude do not pass, with the reason. */
export const withoutTopP: { readonly [id: string]: string } = {
  'llm.sends-settings': 'the package drops topP next to temperature, with a warning',
};
