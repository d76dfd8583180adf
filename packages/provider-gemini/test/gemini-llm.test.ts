import { llmCases, register } from '@thole/testing';
import type { LlmSubject } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { describe, it } from 'vitest';
import { Gemini } from '../src/index.ts';
import { startGeminiServer } from './gemini-server.ts';

const CLAIMS = [
  ...['thoughts', 'cuts', 'stalls', 'connections', 'signatures', 'stop-sequences', 'request-model'],
  ...['images', 'answer-images', 'refuses-media'],
];

for (const [name, vertexai] of [
  ['Gemini', false],
  ['Gemini (Vertex AI, express mode)', true],
] as const) {
  register<LlmSubject & { server: ProtocolServer }>({ describe, it }, llmCases, {
    name,
    claims: CLAIMS,
    create: async () => {
      const server = await startGeminiServer();
      return {
        server,
        llm: (scenario) =>
          new Gemini({
            model: `gemini-${scenario.name}`,
            apiKey: 'a-local-key',
            baseUrl: server.url,
            vertexai,
            retry: false,
          }),
        received: () => server.requests,
        allEnded: () => server.allEnded(),
      };
    },
    destroy: ({ server }) => server.close(),
  });
}
