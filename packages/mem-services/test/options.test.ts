import {
  InMemoryArtifactService,
  InMemoryMemoryService,
  InMemorySessionService,
  VectorMemoryService,
} from '@thole/mem-services';
import { FileArtifactService } from '@thole/mem-services/file';
import { StoredMemoryService } from '@thole/recall';
import { HashEmbedder } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { InMemoryMemoryStore } from '../src/in-memory-memory-store.ts';

const embedder = new HashEmbedder();
const services: { [name: string]: [make: (options: never) => unknown, required: object] } = {
  InMemorySessionService: [(options) => new InMemorySessionService(options), {}],
  InMemoryArtifactService: [(options) => new InMemoryArtifactService(options), {}],
  FileArtifactService: [(options) => new FileArtifactService(options), { rootDir: 'not-created' }],
  InMemoryMemoryService: [(options) => new InMemoryMemoryService(options), {}],
  VectorMemoryService: [(options) => new VectorMemoryService(options), { embedder }],
  StoredMemoryService: [(options) => new StoredMemoryService(new InMemoryMemoryStore(), options), {}],
};

describe.each(Object.entries(services))('Options of %s', (_, [make, required]) => {
  it('may each be undefined (contract 41)', () => {
    const all = ['runtime', 'limits', 'maxBytes', 'match', 'topK', 'minScore', 'ranking', 'indexBytes'];
    const known = all.filter((name) => !throws(() => make({ ...required, [name]: undefined } as never)));
    expect(known).toContain('runtime');
    expect(known.length).toBeGreaterThan(1);
  });

  it('are rejected if one is misspelt or if they are not an object (contract 42)', () => {
    expect(() => make({ ...required, runtimes: 1 } as never)).toThrow('has no option runtimes');
    for (const none of [null, 7, 'options', []])
      expect(() => make(none as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

it.each([
  [() => new InMemorySessionService({ limits: { eventBytes: Number.NaN } }), 'limits.eventBytes'],
  [() => new InMemorySessionService({ limits: { eventbytes: 1 } as never }), 'limits has no option eventbytes'],
  [() => new InMemoryArtifactService({ maxBytes: '5' as never }), 'maxBytes'],
  [() => new InMemoryArtifactService({ maxBytes: -1 }), 'maxBytes'],
] as const)('throws for an invalid limit: %s (contract 42)', (make, named) => {
  expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(named) }));
});

it.each([
  [() => new InMemoryMemoryService({ ranking: 'hybrid' as never }), 'ranking must be a MemoryRanking, got a string.'],
  [
    () => new StoredMemoryService(new InMemoryMemoryStore(), { ranking: {} as never }),
    'ranking must be a MemoryRanking',
  ],
  [() => new StoredMemoryService(undefined as never), 'store must be a MemoryStore'],
] as const)('throws for an invalid ranking or store: %s (contract 42)', (make, message) => {
  expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }));
});

it('InMemoryMemoryService returns topK results if a search has no limit (contract 32)', async () => {
  const memory = new InMemoryMemoryService({ topK: 2 });
  const user = { appName: 'hotel', userId: 'alice' };
  const memories = ['one', 'two', 'three'].map((n) => ({
    kind: 'note' as const,
    content: { parts: [{ text: `pool ${n}` }] },
  }));
  await memory.addMemory({ ...user, memories });
  expect((await memory.searchMemory({ ...user, query: 'pool' })).memories).toHaveLength(2);
  expect((await memory.searchMemory({ ...user, query: 'pool', limit: 3 })).memories).toHaveLength(3);
});

function throws(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch {
    return true;
  }
}
