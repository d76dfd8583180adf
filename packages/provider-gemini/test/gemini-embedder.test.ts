import type { Embedder } from '@thole/core';
import { embedderCases, register } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { describe, it } from 'vitest';
import { GeminiEmbedder } from '../src/index.ts';
import { startGeminiServer } from './gemini-server.ts';

const servers = new Map<Embedder, ProtocolServer>();
for (const [name, options] of [
  ['GeminiEmbedder', {}],
  ['GeminiEmbedder (768 dimensions)', { dimensions: 768 }],
  ['GeminiEmbedder (Vertex AI)', { vertexai: true }],
] as const) {
  register<Embedder>({ describe, it }, embedderCases, {
    name,
    create: async () => {
      const server = await startGeminiServer();
      const embedder = new GeminiEmbedder({ apiKey: 'a-local-key', baseUrl: server.url, retry: false, ...options });
      servers.set(embedder, server);
      return embedder;
    },
    destroy: async (embedder) => servers.get(embedder)?.close(),
  });
}
