import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Llm } from '@thole/core';
import { Anthropic } from '@thole/provider-anthropic';
import { Gemini } from '@thole/provider-gemini';
import { OpenAi } from '@thole/provider-openai';
import { describe, expect, it, onTestFinished } from 'vitest';

const request = { contents: [{ role: 'user' as const, parts: [{ text: 'Hello' }] }], config: {} };

/** Starts a server that answers every request with a redirect to the other address. Without it, counts requests. */
async function start(target?: string): Promise<{ url: string; count: () => number }> {
  let count = 0;
  const server = createServer((_, response) => {
    count++;
    response.writeHead(target === undefined ? 200 : 307, { location: `${target}/elsewhere?key=1` }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count };
}

describe('A model whose server redirects', () => {
  it.each<[string, (baseUrl: string) => Llm]>([
    ['OpenAi', (baseUrl) => new OpenAi({ model: 'gpt-5.5', apiKey: 'k', baseUrl })],
    ['Anthropic', (baseUrl) => new Anthropic({ model: 'claude-opus-5', apiKey: 'k', baseUrl })],
    ['Gemini', (baseUrl) => new Gemini({ model: 'gemini-3-flash', apiKey: 'k', baseUrl })],
  ])('sends nothing to the other host, and names the next step: %s', async (_, create) => {
    const other = await start();
    const { url } = await start(other.url);
    for (const stream of [false, true]) {
      const error = await Array.fromAsync(
        create(url).generateContentAsync(request, { stream, signal: new AbortController().signal }),
      ).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'MODEL_BAD_REQUEST', retryable: false });
      expect((error as Error).message).toContain(
        `The server redirects to ${other.url}/elsewhere. Redirects are not followed: set baseUrl to the final address.`,
      );
    }
    expect(other.count()).toBe(0);
  });
});
