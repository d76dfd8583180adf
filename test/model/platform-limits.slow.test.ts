import { ProviderConnection } from '@thole/core';
import type { ConnectionOptions } from '@thole/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acmeTable, askAcme, piecesOf } from './acme.ts';
import { useServer } from './use-server.ts';

const KEYS = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')] as const;
const all = globalThis as unknown as { [key: symbol]: object | undefined };
/** Longer than the lowered limits: undici checks time limits about twice per second. */
const LONGER_MS = 2500;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a server that waits before its answer, and again in the middle of it. */
const slowServer = () =>
  useServer(async () => {
    await wait(LONGER_MS);
    return {
      body: (async function* () {
        yield 'one ';
        await wait(LONGER_MS);
        yield 'two';
      })(),
    };
  });

async function read(url: string, options: ConnectionOptions = {}): Promise<string> {
  const connection = new ProviderConnection(options, acmeTable);
  const pieces = connection.stream((signal) => askAcme(connection, url, signal), piecesOf, undefined);
  return (await Array.fromAsync(pieces)).join('');
}

// Node's limits of 300 s, lowered to one tenth of a second.
describe("the limits of Node's fetch", () => {
  let key: symbol;
  let before: object;

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

  it('end a fetch of the caller with MODEL_TIMEOUT, without a further attempt', async () => {
    const server = await slowServer();
    const error = read(server.url, { fetch: (input, init) => globalThis.fetch(input, init) });
    await expect(error).rejects.toMatchObject({ code: 'MODEL_TIMEOUT', details: { endedBy: 'client' } });
    expect(server.requests.length).toBe(1);
  });

  it('have no effect without a fetch of the caller', async () => {
    const server = await slowServer();
    expect(await read(server.url)).toBe('one two');
    expect(server.requests.length).toBe(1);
  });

  it('are replaced by timeoutMs and idleTimeoutMs', async () => {
    const server = await slowServer();
    const reads = [{ timeoutMs: 1500 }, { idleTimeoutMs: 1500 }].map((limits) => read(server.url, limits));
    await Promise.all(reads.map((each) => expect(each).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' })));
    expect(server.requests.length).toBe(2);
  });
});
