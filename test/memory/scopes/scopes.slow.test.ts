import type { MemoryService } from '@thole/core';
import { InMemoryMemoryService, VectorMemoryService } from '@thole/mem-services';
import { RedactingMemoryService } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import type { FactRequest } from '@thole/memory/facts';
import { DatabaseMemoryService, SqliteVecStore, SqlMemoryStore } from '@thole/sql-services';
import { HashEmbedder } from '@thole/testing';
import type { FixedRuntime } from '@thole/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { scopeMutants } from '../../mutants/scope-mutants.ts';
import { liveAtRandom } from './live-at-random.ts';
import { withScopes } from './with-scopes.ts';

const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of opened) await each.close();
});

function closeAtEnd<T extends { close(): Promise<void> }>(service: T): T {
  opened.push(service);
  return service;
}

/** Makes one fact of each text of the user. */
const extractor = {
  specVersion: 1 as const,
  extract: async ({ turns }: FactRequest) =>
    turns
      .filter(({ author }) => author === 'user')
      .map(({ id, text }) => ({ op: 'add', text: `Said: ${text}`, evidence: [id] })),
};

const services: readonly [name: string, make: (runtime: FixedRuntime) => Required<MemoryService>][] = [
  ['InMemoryMemoryService', (runtime) => new InMemoryMemoryService({ runtime })],
  ['VectorMemoryService', (runtime) => new VectorMemoryService({ embedder: new HashEmbedder(), runtime })],
  [
    'VectorMemoryService over SQLite',
    (runtime) => {
      const dbUrl = 'sqlite://:memory:';
      const [store, entries] = [
        closeAtEnd(new SqliteVecStore({ dbUrl, runtime })),
        closeAtEnd(new SqlMemoryStore({ dbUrl, runtime })),
      ];
      return new VectorMemoryService({ embedder: new HashEmbedder(), ranking: 'hybrid', store, entries, runtime });
    },
  ],
  [
    'DatabaseMemoryService',
    (runtime) => closeAtEnd(new DatabaseMemoryService({ dbUrl: 'sqlite://:memory:', runtime })),
  ],
  [
    'FactMemoryService',
    (runtime) => {
      const memory = new InMemoryMemoryService({ runtime });
      return new FactMemoryService({ memory, extractor, extractFromEvents: true, runtime });
    },
  ],
  [
    'RedactingMemoryService',
    (runtime) =>
      new RedactingMemoryService({ memory: new InMemoryMemoryService({ runtime }), redact: async (text) => text }),
  ],
];

const seed = Number(process.env.THOLE_SEED ?? Date.now() % 1_000_000);

describe.each(services)(`%s, seed ${seed}`, { timeout: 120_000 }, (name, make) => {
  it('isolates two users of two apps in 1,200 random operations and restores nothing (contracts 30, 31)', async () => {
    console.info(`${name}: THOLE_SEED=${seed}`);
    await liveAtRandom(make, { seed });
  });
});

// Once: a mutant changes the names before the service receives them, and all services above pass the same comparison.
describe('liveAtRandom', () => {
  it.each(scopeMutants)('detects a service that %s (contract 30)', async (_, change) => {
    const mutant = (runtime: FixedRuntime) => withScopes(new InMemoryMemoryService({ runtime }), change);
    const living = liveAtRandom(mutant, { seed, operations: 280 });
    await expect(living).rejects.toThrow(`Seed ${seed}, operation`);
  });

  it('detects a service that restores deleted entries (contract 31)', async () => {
    const forgetful = (runtime: FixedRuntime): Required<MemoryService> => {
      const memory = new InMemoryMemoryService({ runtime });
      const add = memory.addMemory.bind(memory);
      memory.addSessionToMemory = async ({ appName, userId, id: sessionId, events }) => {
        const memories = events.map(({ id: eventId, author, timestamp, content }) => ({
          ...{ kind: 'turn' as const, author, timestamp, sessionId, eventId },
          content: content!,
        }));
        await add({ appName, userId, memories });
      };
      return memory;
    };
    await expect(liveAtRandom(forgetful, { seed })).rejects.toThrow(`Seed ${seed}, operation`);
  });
});
