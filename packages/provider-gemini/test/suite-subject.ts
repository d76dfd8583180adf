import type { LlmSubject } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { Gemini } from '../src/index.ts';
import { startGeminiServer } from './gemini-server.ts';

/** The features of the suite that the model supports on both platforms. */
export const claims: readonly string[] = [
  ...['thoughts', 'cuts', 'stalls', 'connections', 'signatures', 'stop-sequences', 'request-model'],
  ...['images', 'answer-images', 'refuses-media'],
];

/** A model and its server, which plays the scenario. */
export interface SuiteSubject extends LlmSubject {
  readonly server: ProtocolServer;
}

export async function startSubject(vertexai: boolean): Promise<SuiteSubject> {
  const server = await startGeminiServer();
  return {
    server,
    llm: ({ name }) =>
      new Gemini({ model: `gemini-${name}`, apiKey: 'a-local-key', baseUrl: server.url, vertexai, retry: false }),
    received: () => server.requests,
    allEnded: () => server.allEnded(),
  };
}
