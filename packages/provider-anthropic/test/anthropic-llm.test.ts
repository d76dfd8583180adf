import { llmCases, register } from '@thole/testing';
import type { LlmSubject } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { describe, it } from 'vitest';
import { Anthropic } from '../src/index.ts';
import { startAnthropicServer } from './anthropic-server.ts';

interface Subject extends LlmSubject {
  readonly servers: ProtocolServer[];
}

const CLAIMS = [
  ...['cuts', 'stalls', 'connections', 'thoughts', 'signatures', 'stop-sequences', 'request-model'],
  ...['images', 'answer-images', 'refuses-media'],
];

register<Subject>({ describe, it }, llmCases, {
  name: 'Anthropic',
  claims: CLAIMS,
  create: () => {
    const servers: ProtocolServer[] = [];
    return {
      servers,
      llm: async (scenario) => {
        const server = await startAnthropicServer(scenario);
        servers.push(server);
        return new Anthropic({ model: 'claude-sonnet-5-5', apiKey: 'a-local-key', baseUrl: server.url, retry: false });
      },
      received: () => servers.flatMap(({ requests }) => requests),
      allEnded: async () => {
        for (const server of servers) await server.allEnded();
      },
    };
  },
  destroy: async ({ servers }) => {
    for (const server of servers) await server.close();
  },
});
