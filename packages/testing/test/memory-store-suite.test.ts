import type { MemoryChanges, MemoryPage, MemoryPageRequest, MemoryScope, MemoryStore } from '@thole/core';
import { InMemoryMemoryStore } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { memoryStoreCases, runCases } from '../src/index.ts';
import type { CaseResult } from '../src/index.ts';

async function failuresOf(create: () => MemoryStore, caseId: string): Promise<CaseResult[]> {
  const cases = memoryStoreCases.filter(({ id }) => id === caseId);
  expect(cases).toHaveLength(1);
  const claims = ['segmented', 'users', 'shared', 'history'];
  const results = await runCases(cases, { create, claims, reopen: (store) => store });
  return results.filter(({ error }) => error !== undefined);
}

class ChangedStore extends InMemoryMemoryStore {
  protected readChanges(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
    return super.since(scope, seq, limit);
  }
}

/** Stores whose pages never end, so that a reader that does not check them reads forever. */
const endless: { [defect: string]: [store: new () => MemoryStore, brokenCase: string, message: RegExp] } = {
  'returns the change at `seq` again': [
    class extends ChangedStore {
      override since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
        return this.readChanges(scope, Math.max(0, seq - 1), limit);
      }
    },
    'since.pages',
    /since\(\d+\) must return only changes after \d+/,
  ],
  'has more changes, but returns none': [
    class extends ChangedStore {
      override async since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
        return { ...(await this.readChanges(scope, seq, limit)), more: true };
      }
    },
    'since.while-others-write',
    /must not be empty/,
  ],
  'returns the cursor of the same page': [
    class extends InMemoryMemoryStore {
      override async list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage> {
        return { ...(await super.list(scope, { ...page, cursor: undefined })), next: 'again' };
      }
    },
    'put.if-absent',
    /next must be the cursor of another page/,
  ],
};

/** Stores from which an index cannot find out that writes were lost. */
const forgetful: { [defect: string]: [change: (page: MemoryChanges) => MemoryChanges, brokenCase: string] } = {
  'does not return `previous`': [(page) => ({ ...page, previous: undefined }), 'since.previous'],
  'returns the last change it returns as `previous`': [
    (page) => {
      const last = page.changes.at(-1);
      if (!last) return page;
      const { seq, writeId } = last;
      return { ...page, previous: { seq, id: 'removed' in last ? last.removed : last.entry.id, writeId } };
    },
    'since.previous',
  ],
  'has no ids of writes': [
    (page) => ({ ...page, changes: page.changes.map((change) => ({ ...change, writeId: undefined })) }),
    'since.write-id',
  ],
  'has the same id for all writes': [
    (page) => ({ ...page, changes: page.changes.map((change) => ({ ...change, writeId: 'w' })) }),
    'since.write-id',
  ],
  'has another id for each change': [
    (page) => ({
      ...page,
      changes: page.changes.map((change, i) => ({ ...change, writeId: `${change.writeId}-${i}` })),
    }),
    'since.write-id',
  ],
};

describe('memoryStoreCases', () => {
  for (const [defect, [change, id]] of Object.entries(forgetful))
    it(`fail a store that ${defect}`, async () => {
      class Store extends ChangedStore {
        override async since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
          return change(await this.readChanges(scope, seq, limit));
        }
      }
      expect(await failuresOf(() => new Store(), id)).toHaveLength(1);
    });

  it('pass a store whose last page has a member `next` that is undefined', async () => {
    class Store extends InMemoryMemoryStore {
      override async list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage> {
        return { next: undefined, ...(await super.list(scope, page)) };
      }
    }
    expect(await failuresOf(() => new Store(), 'since.nothing')).toEqual([]);
  });

  for (const [defect, [Store, id, message]] of Object.entries(endless))
    it(`fail a store that ${defect}, instead of reading forever`, async () => {
      const [failure] = await failuresOf(() => new Store(), id);
      expect(String(failure?.error)).toMatch(message);
    });
});
