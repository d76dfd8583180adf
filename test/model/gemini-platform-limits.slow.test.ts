import { Gemini } from '@thole/provider-gemini';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useServer } from './use-server.ts';

const KEYS = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')] as const;
const all = globalThis as unknown as { [key: symbol]: object | undefined };
/** Longer than the lowered limits: undici checks time limits about twice per second. */
const LONGER_MS = 2000;

let key: symbol;
let before: object;

// Node's limits of 300 s, lowered to one tenth of a second.
beforeEach(async () => {
  await fetch('http://127.0.0.1:1').catch(() => {});
  key = KEYS.find((each) => all[each])!;
  before = all[key]!;
  const Agent = before.constructor as new (limits: object) => object;
  all[key] = new Agent({ headersTimeout: 100, bodyTimeout: 100 });
});

afterEach(() => {
  all[key] = before;
});

it('Gemini waits for a slow answer up to timeoutMs, through the SDK', async () => {
  const answer = { candidates: [{ content: { parts: [{ text: 'At last.' }] }, finishReason: 'STOP' }] };
  const server = await useServer(async () => {
    await new Promise((resolve) => setTimeout(resolve, LONGER_MS));
    return { body: JSON.stringify(answer) };
  });
  const llm = new Gemini({ model: 'gemini-2.5-flash', apiKey: 'a-local-key', baseUrl: server.url });
  const responses = await Array.fromAsync(
    llm.generateContentAsync(
      { contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }], config: {} },
      { stream: false, signal: new AbortController().signal },
    ),
  );
  expect(responses[0]?.content?.parts).toEqual([{ text: 'At last.' }]);
  expect(server.requests.length).toBe(1);
});
