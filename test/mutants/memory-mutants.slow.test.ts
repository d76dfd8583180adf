import type {
  AddMemoryRequest,
  Event,
  MemoryEntry,
  MemoryRef,
  MemoryRemoval,
  MemoryScope,
  MemoryService,
  NewMemory,
  Runtime,
  SearchMemoryRequest,
  Session,
  SessionRef,
} from '@thole/core';
import { InMemoryMemoryService, InMemoryMemoryStore } from '@thole/mem-services';
import { StoredMemoryService, wordRanking } from '@thole/recall';
import type { WordRankingOptions } from '@thole/recall';
import { memoryAbilities, memoryServiceCases, runCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';

interface Mutant {
  /** The defect. */
  id: string;
  contract: number;
  /** The case that must fail, and cite the contract. */
  caughtBy: string;
  make(runtime: Runtime): MemoryService;
}

/** Returns a service with changed search results. */
function changeResults(
  runtime: Runtime,
  change: (memories: MemoryEntry[], p: SearchMemoryRequest) => MemoryEntry[],
): MemoryService {
  return new (class extends InMemoryMemoryService {
    override async searchMemory(p: SearchMemoryRequest): Promise<{ memories: MemoryEntry[] }> {
      return { memories: change((await super.searchMemory(p)).memories, p) };
    }
  })({ runtime });
}

/** Returns a service with changed search requests. */
function changeSearches(runtime: Runtime, change: (p: SearchMemoryRequest) => SearchMemoryRequest): MemoryService {
  return new (class extends InMemoryMemoryService {
    override searchMemory(p: SearchMemoryRequest): Promise<{ memories: MemoryEntry[] }> {
      return super.searchMemory(change(p));
    }
  })({ runtime });
}

/** Returns a service with changed requests of `addMemory`. */
function changeAdditions(runtime: Runtime, change: (p: AddMemoryRequest) => AddMemoryRequest): MemoryService {
  return new (class extends InMemoryMemoryService {
    override addMemory(p: AddMemoryRequest): Promise<MemoryEntry[]> {
      return super.addMemory(change(p));
    }
  })({ runtime });
}

const withoutExpiry = (entry: MemoryEntry): MemoryEntry => ({ ...entry, expiresAt: undefined });

/** Returns a service that ingests changed events. */
function changeEvents(
  runtime: Runtime,
  change: (events: readonly Event[], session: Session) => Event[],
): MemoryService {
  return new (class extends InMemoryMemoryService {
    override addSessionToMemory(session: Session): Promise<void> {
      const events = Array.isArray(session?.events) ? change(session.events, session) : session?.events;
      return super.addSessionToMemory({ ...session, events });
    }
  })({ runtime });
}

/** Returns a service over a store with replaced steps. */
function replaceSteps(
  runtime: Runtime,
  change: (store: InMemoryMemoryStore) => Partial<InMemoryMemoryStore>,
): MemoryService {
  const correct = new InMemoryMemoryStore();
  const store = new InMemoryMemoryStore();
  Object.assign(store, {
    put: correct.put.bind(correct),
    since: correct.since.bind(correct),
    get: correct.get.bind(correct),
    list: correct.list.bind(correct),
    remove: correct.remove.bind(correct),
    ...change(correct),
  });
  const service = new StoredMemoryService(store, { runtime });
  others.set(service, () => new StoredMemoryService(store, { runtime }));
  return service;
}

/** Returns a service with other options of the ranking. */
function rankWith(runtime: Runtime, options: WordRankingOptions): MemoryService {
  return new StoredMemoryService(new InMemoryMemoryStore(), { runtime, ranking: wordRanking(options) });
}

const bareWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** By service: a function that creates another service over the same store. */
const others = new WeakMap<MemoryService, () => MemoryService>();

/** Returns a service over a store with changed scopes. */
function changeScopes(runtime: Runtime, change: (scope: MemoryScope) => MemoryScope): MemoryService {
  return replaceSteps(runtime, (store) => ({
    put: (scope, entries, mode) => store.put(change(scope), entries, mode),
    since: (scope, seq, limit) => store.since(change(scope), seq, limit),
    get: (scope, ids) => store.get(change(scope), ids),
    list: (scope, page) => store.list(change(scope), page),
    remove: (scope, what, now) => store.remove(change(scope), what, now),
  }));
}

const asTexts = (event: Event): Event => ({
  ...event,
  content: {
    role: 'model',
    parts: [{ text: (event.content?.parts ?? []).map((part) => part.text ?? JSON.stringify(part)).join(' ') }],
  },
});

const mutants: readonly Mutant[] = [
  {
    id: 'keys-joined-by-a-slash',
    contract: 30,
    caughtBy: 'scope.lookalikes',
    make: (runtime) =>
      changeScopes(runtime, ({ appName, userId }) => ({ appName: `${appName}/${userId}`, userId: 'x' })),
  },
  {
    id: 'apps-share-users',
    contract: 30,
    caughtBy: 'scope.search',
    make: (runtime) => changeScopes(runtime, (scope) => ({ ...scope, appName: 'x' })),
  },
  {
    id: 'users-share-an-app',
    contract: 30,
    caughtBy: 'scope.delete',
    make: (runtime) => changeScopes(runtime, (scope) => ({ ...scope, userId: 'x' })),
  },
  {
    id: 'names-lose-blanks-and-case',
    contract: 30,
    caughtBy: 'scope.lookalikes',
    make: (runtime) => changeScopes(runtime, (scope) => ({ ...scope, userId: scope.userId.trim().toLowerCase() })),
  },
  {
    id: 'names-are-not-checked',
    contract: 30,
    caughtBy: 'scope.bad-names',
    make: (runtime) => changeSearches(runtime, (p) => ({ ...p, appName: p.appName || 'x', userId: p.userId || 'x' })),
  },
  {
    id: 'appends-duplicates',
    contract: 31,
    caughtBy: 'ingest.twice',
    make(runtime) {
      let count = 0;
      return changeEvents(runtime, (events) => events.map((event) => ({ ...event, id: `${event.id}-${count++}` })));
    },
  },
  {
    id: 'replaces-a-session-with-its-window',
    contract: 31,
    caughtBy: 'ingest.windowed',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override async addSessionToMemory(session: Session): Promise<void> {
          if (session?.id && session.events?.length) {
            const { memories } = await this.listMemories({ ...session, filter: { sessionId: session.id } });
            const memories2 = memories.filter((one) => session.events.every((event) => event.id !== one.eventId));
            await this.deleteMemory({ ...session, ids: memories2.map((one) => one.id) });
          }
          await super.addSessionToMemory(session);
        }
      })({ runtime }),
  },
  {
    id: 'keyed-by-event-alone',
    contract: 31,
    caughtBy: 'ingest.same-event-id',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override addSessionToMemory(session: Session): Promise<void> {
          return super.addSessionToMemory({ ...session, id: session?.id && 's1' });
        }
      })({ runtime }),
  },
  {
    id: 'remembers-thoughts',
    contract: 31,
    caughtBy: 'ingest.no-thoughts',
    make: (runtime) =>
      changeEvents(runtime, (events) =>
        events.map((event) => ({
          ...event,
          content: { parts: event.content?.parts?.map((part) => ({ ...part, thought: false })) },
        })),
      ),
  },
  {
    id: 'remembers-payloads',
    contract: 31,
    caughtBy: 'ingest.no-payloads',
    make: (runtime) => changeEvents(runtime, (events) => events.map(asTexts)),
  },
  {
    id: 'remembers-partials',
    contract: 31,
    caughtBy: 'ingest.no-partials',
    make: (runtime) => changeEvents(runtime, (events) => events.map((event) => ({ ...event, partial: false }))),
  },
  {
    id: 'remembers-error-messages',
    contract: 31,
    caughtBy: 'ingest.no-empties',
    make: (runtime) =>
      changeEvents(runtime, (events) =>
        events.map((event) =>
          event.errorMessage ? { ...event, content: { parts: [{ text: event.errorMessage }] } } : event,
        ),
      ),
  },
  {
    id: 'remembers-quoted-memory',
    contract: 31,
    caughtBy: 'ingest.no-injected',
    make: (runtime) =>
      changeEvents(runtime, (events) =>
        events.map((event) => ({
          ...event,
          content: {
            parts: event.content?.parts?.map((part) => ({
              ...part,
              text: part.text?.replaceAll('past_conversations', 'memory'),
            })),
          },
        })),
      ),
  },
  {
    id: 'leaves-no-tombstones',
    contract: 31,
    caughtBy: 'forget.not-ingested',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({
        put: (scope, entries, mode) => store.put(scope, entries, mode === 'ifAbsent' ? 'replace' : mode),
      })),
  },
  {
    id: 'forgets-the-deletion-of-all-entries',
    contract: 31,
    caughtBy: 'forget.everything-unknown',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({
        remove: (scope: MemoryScope, what: MemoryRemoval) => store.remove(scope, what, -Infinity),
      })),
  },
  {
    id: 'lists-an-entry-as-the-same-as-itself',
    contract: 34,
    caughtBy: 'forget.same',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override async findSameMemories(p: MemoryRef & { ids: readonly string[] }): Promise<MemoryEntry[]> {
          const entries = await Promise.all(p.ids.map((id) => this.getMemory({ ...p, id })));
          return [...entries.filter((entry) => entry !== undefined), ...(await super.findSameMemories(p))];
        }
      })({ runtime }),
  },
  {
    id: 'always-keeps-evidence',
    contract: 31,
    caughtBy: 'forget.fact',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override deleteMemory(p: { appName: string; userId: string; ids: readonly string[] }): Promise<number> {
          return super.deleteMemory({ ...p, keepEvidence: true });
        }
      })({ runtime }),
  },
  {
    id: 'never-keeps-evidence',
    contract: 31,
    caughtBy: 'forget.fact-alone',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override deleteMemory(p: { appName: string; userId: string; ids: readonly string[] }): Promise<number> {
          return super.deleteMemory({ ...p, keepEvidence: false });
        }
      })({ runtime }),
  },
  {
    id: 'leaves-earlier-versions',
    contract: 31,
    caughtBy: 'forget.fact-versions',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override async deleteMemory(p: { appName: string; userId: string; ids: readonly string[] }): Promise<number> {
          const { memories } = await this.listMemories({ ...p, limit: 500 });
          const evidence = memories.flatMap((one) => (p.ids.includes(one.id) ? (one.evidence ?? []) : []));
          return super.deleteMemory({ ...p, ids: [...p.ids, ...evidence], keepEvidence: true });
        }
      })({ runtime }),
  },
  {
    id: 'always-deletes-all-versions',
    contract: 31,
    caughtBy: 'forget.version-alone',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override async deleteMemory(p: { appName: string; userId: string; ids: readonly string[] }): Promise<number> {
          const { memories } = await this.listMemories({ ...p, limit: 500 });
          const later = memories.flatMap(({ id, supersededBy }) => (p.ids.includes(id) ? (supersededBy ?? []) : []));
          return super.deleteMemory({ ...p, ids: [...p.ids, ...later] });
        }
      })({ runtime }),
  },
  {
    id: 'stores-turns-after-the-deletion-of-their-session',
    contract: 31,
    caughtBy: 'forget.session-to-come',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override deleteSessionMemory({ appName, userId, sessionId }: SessionRef): Promise<number> {
          return super.deleteSessionMemory({ appName, userId, sessionId });
        }
      })({ runtime }),
  },
  {
    id: 'leaves-facts-without-evidence',
    contract: 31,
    caughtBy: 'forget.evidence',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({
        list: (scope, page) => store.list(scope, page.limit === 500 ? { ...page, filter: { author: '-' } } : page),
      })),
  },
  {
    id: 'restores-deleted-entries-by-updates',
    contract: 31,
    caughtBy: 'forget.update-elsewhere',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({
        put: (scope, entries, mode) => store.put(scope, entries, mode === 'ifPresent' ? 'replace' : mode),
      })),
  },
  {
    id: 'sorts-worst-first',
    contract: 32,
    caughtBy: 'search.ranked',
    make: (runtime) => changeResults(runtime, (memories) => memories.toReversed()),
  },
  {
    id: 'sorts-by-time',
    contract: 32,
    caughtBy: 'search.all-before-some',
    make: (runtime) => changeResults(runtime, (memories) => memories.toSorted((a, b) => a.timestamp! - b.timestamp!)),
  },
  {
    id: 'limit-ignored',
    contract: 32,
    caughtBy: 'search.limit',
    make: (runtime) => changeSearches(runtime, (p) => ({ ...p, limit: p.limit && 100 })),
  },
  {
    id: 'default-limit-too-high',
    contract: 32,
    caughtBy: 'search.default-limit',
    make: (runtime) => changeSearches(runtime, (p) => ({ ...p, limit: p.limit ?? 1000 })),
  },
  {
    id: 'filter-after-limit',
    contract: 32,
    caughtBy: 'search.filter-before-limit',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override async searchMemory(p: SearchMemoryRequest): Promise<{ memories: MemoryEntry[] }> {
          const { memories } = await super.searchMemory({ ...p, filter: undefined });
          const passed = new Set((await super.searchMemory({ ...p, limit: 1000 })).memories.map((one) => one.id));
          return { memories: memories.filter((one) => passed.has(one.id)) };
        }
      })({ runtime }),
  },
  {
    id: 'filter-ignored',
    contract: 32,
    caughtBy: 'search.filter',
    make: (runtime) => changeSearches(runtime, (p) => ({ ...p, filter: undefined })),
  },
  {
    id: 'min-score-ignored',
    contract: 32,
    caughtBy: 'search.min-score',
    make: (runtime) => changeSearches(runtime, (p) => ({ ...p, minScore: undefined })),
  },
  {
    id: 'ascii-words-only',
    contract: 32,
    caughtBy: 'language.chinese',
    make: (runtime) =>
      changeSearches(runtime, (p) => ({
        ...p,
        query: typeof p.query === 'string' ? (p.query.match(/[A-Za-z]+/g) ?? []).join(' ') : p.query,
      })),
  },
  {
    id: 'substring-of-the-whole-query',
    contract: 32,
    caughtBy: 'search.punctuation',
    make: (runtime) => new InMemoryMemoryService({ runtime, match: 'substring' }),
  },
  {
    id: 'index-never-updated',
    contract: 32,
    caughtBy: 'search.other-process',
    make(runtime) {
      return replaceSteps(runtime, (store) => {
        const seen = new Set<string>();
        return {
          async since(scope, seq, limit) {
            const key = `${scope.appName}/${scope.userId}`;
            if (seen.has(key)) return { changes: [], removals: 0, more: false };
            const page = await store.since(scope, seq, limit);
            if (page.changes.length > 0) seen.add(key);
            return page;
          },
        };
      });
    },
  },
  {
    id: 'times-in-milliseconds',
    contract: 33,
    caughtBy: 'ingest.turn',
    make: (runtime) =>
      changeResults(runtime, (memories) => memories.map((one) => ({ ...one, timestamp: one.timestamp! * 1000 }))),
  },
  {
    id: 'times-as-text',
    contract: 33,
    caughtBy: 'ingest.turn',
    make: (runtime) =>
      changeResults(runtime, (memories) =>
        memories.map((one) => ({ ...one, timestamp: new Date(one.timestamp! * 1000).toISOString() as never })),
      ),
  },
  {
    id: 'no-ids',
    contract: 33,
    caughtBy: 'ingest.turn',
    make: (runtime) =>
      changeResults(runtime, (memories) => memories.map((one) => ({ ...one, id: undefined as never }))),
  },
  {
    id: 'metadata-dropped',
    contract: 33,
    caughtBy: 'entry.members',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({
        put: (scope, entries, mode) =>
          store.put(
            scope,
            entries.map((one) => ({ ...one, customMetadata: undefined })),
            mode,
          ),
      })),
  },
  {
    id: 'returns-the-same-objects-again',
    contract: 33,
    caughtBy: 'ingest.no-alias',
    make(runtime) {
      const held = new Map<string, MemoryEntry>();
      return changeResults(runtime, (memories) =>
        memories.map((one) => held.get(one.id) ?? (held.set(one.id, one), one)),
      );
    },
  },
  {
    id: 'stores-a-part-of-a-rejected-request',
    contract: 34,
    caughtBy: 'entry.refused',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override async addMemory(p: {
          appName: string;
          userId: string;
          memories: readonly NewMemory[];
        }): Promise<MemoryEntry[]> {
          if (!Array.isArray(p.memories)) return super.addMemory(p);
          const added: MemoryEntry[] = [];
          for (const one of p.memories) added.push(...(await super.addMemory({ ...p, memories: [one] })));
          return added;
        }
      })({ runtime }),
  },
  {
    id: 'finds-words-of-replaced-texts',
    contract: 34,
    caughtBy: 'update.changes',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({
        async put(scope, entries, mode) {
          if (mode === 'ifPresent')
            await store.put(
              scope,
              entries.map((one) => ({
                ...one,
                id: `${one.id}-copy`,
                content: { parts: [{ text: 'Prefers high floors.' }] },
              })),
              'replace',
            );
          return store.put(scope, entries, mode);
        },
      })),
  },
  {
    id: 'pages-by-offset',
    contract: 34,
    caughtBy: 'list.pages',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({
        async list(scope, page) {
          const { memories } = await store.list(scope, { ...page, limit: 1000, cursor: undefined });
          const from = Number(page.cursor ?? 0);
          const next = from + page.limit < memories.length ? { next: String(from + page.limit) } : {};
          return { memories: memories.slice(from, from + page.limit), ...next };
        },
      })),
  },
  {
    id: 'counts-missing-entries',
    contract: 34,
    caughtBy: 'forget.entry',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({
        remove: async (scope, what, now) =>
          Math.max(
            await store.remove(scope, what, now),
            typeof what === 'object' && 'ids' in what ? what.ids.length : 0,
          ),
      })),
  },
  {
    id: 'ranks-turns-without-their-context',
    contract: 32,
    caughtBy: 'search.answer',
    make: (runtime) => rankWith(runtime, { chat: { weights: { neighbourhood: 0, session: 0, answer: 0 } } }),
  },
  {
    id: 'ignores-the-person-in-a-question',
    contract: 32,
    caughtBy: 'search.whose',
    make: (runtime) => rankWith(runtime, { chat: { weights: { askedAbout: 0, session: 0 } } }),
  },
  {
    id: 'treats-dates-as-words',
    contract: 32,
    caughtBy: 'search.when',
    make: (runtime) => rankWith(runtime, { chat: { weights: { saidThen: 0, aboutThen: 0 } } }),
  },
  {
    id: 'notes-lose-their-text',
    contract: 34,
    caughtBy: 'add.text',
    make: (runtime) => changeAdditions(runtime, (p) => (p.memory === undefined ? p : { ...p, memory: 'A note.' })),
  },
  {
    id: 'accepts-a-note-next-to-entries',
    contract: 34,
    caughtBy: 'add.text-refused',
    make: (runtime) => changeAdditions(runtime, (p) => (p.memories ? { ...p, memory: undefined } : p)),
  },
  {
    id: 'gets-entries-of-all-users',
    contract: 30,
    caughtBy: 'get.one',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override getMemory(p: MemoryRef & { id: string }): Promise<MemoryEntry | undefined> {
          return super.getMemory({ ...p, userId: 'alice' });
        }
      })({ runtime }),
  },
  {
    id: 'finds-expired-entries',
    contract: 33,
    caughtBy: 'expiry.unseen',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({ put: (scope, all, mode) => store.put(scope, all.map(withoutExpiry), mode) })),
  },
  {
    id: 'filters-expired-entries-after-the-page',
    contract: 34,
    caughtBy: 'expiry.pages',
    make: (runtime) =>
      replaceSteps(runtime, (store) => ({
        async list(scope, { filter, ...page }) {
          const { memories, ...rest } = await store.list(scope, { ...page, filter: { ...filter, liveAt: undefined } });
          return { ...rest, memories: memories.filter(({ entry }) => !(entry.expiresAt! <= runtime.now())) };
        },
      })),
  },
  {
    id: 'ignores-changes-of-expiresAt',
    contract: 34,
    caughtBy: 'expiry.change',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override updateMemory(
          p: Parameters<InMemoryMemoryService['updateMemory']>[0],
        ): Promise<MemoryEntry | undefined> {
          return super.updateMemory({ ...p, change: { ...p.change, expiresAt: undefined } });
        }
      })({ runtime }),
  },
  {
    id: 'topics-must-all-match',
    contract: 32,
    caughtBy: 'topics.filter',
    make: (runtime) =>
      changeSearches(runtime, (p) => ({ ...p, filter: { ...p.filter, topics: p.filter?.topics?.slice(0, 1) } })),
  },
  {
    id: 'accepts-invalid-topics',
    contract: 33,
    caughtBy: 'fields.refused',
    make: (runtime) =>
      changeAdditions(runtime, (p) => ({
        ...p,
        memories: p.memories?.map((each) => ({ ...each, topics: undefined })),
      })),
  },
  {
    id: 'ignores-scopes',
    contract: 30,
    caughtBy: 'shared.isolated',
    make: (runtime) => changeSearches(runtime, (p) => ({ ...p, scope: undefined })),
  },
  {
    id: 'teams-share-their-agents',
    contract: 30,
    caughtBy: 'shared.isolated',
    make: (runtime) =>
      changeSearches(runtime, (p) => ({ ...p, scope: p.scope && { team: p.scope.team ?? p.scope.agent } })),
  },
  {
    id: 'separates-scopes-by-user',
    contract: 30,
    caughtBy: 'shared.users',
    make: (runtime) =>
      changeSearches(runtime, (p) => ({
        ...p,
        scope: p.scope && { ...p.scope, agent: `${p.scope.agent ?? ''}${p.userId}` },
      })),
  },
  {
    id: 'deletes-scopes-with-a-user',
    contract: 30,
    caughtBy: 'shared.change-and-delete',
    make: (runtime) =>
      new (class extends InMemoryMemoryService {
        override async deleteUserMemory(p: MemoryRef): Promise<number> {
          const scope = { team: 'reception', agent: 'concierge' };
          return (await super.deleteUserMemory({ ...p, scope })) + (await super.deleteUserMemory(p));
        }
      })({ runtime }),
  },
  {
    id: 'accepts-invalid-scopes',
    contract: 30,
    caughtBy: 'shared.refused',
    make: (runtime) => changeSearches(runtime, (p) => ({ ...p, scope: { team: p.scope?.team || 'x' } })),
  },
  ...['German', 'Turkish', 'Russian', 'Arabic', 'Hindi'].map((language) => ({
    id: `does-not-stem-words-in-${language}`,
    contract: 32,
    caughtBy: `language.${language.toLowerCase()}-forms`,
    make: (runtime: Runtime) => rankWith(runtime, { analyzer: { id: 'bare', words: bareWords } }),
  })),
  ...['Chinese', 'Japanese', 'Thai'].map((language) => ({
    id: `splits-words-only-at-spaces-in-${language}`,
    contract: 32,
    caughtBy: `language.${language.toLowerCase()}-forms`,
    make: (runtime: Runtime) => rankWith(runtime, { analyzer: { id: 'bare', words: bareWords } }),
  })),
];

const claims = [...memoryAbilities, 'words', 'shared'];
const casesById = new Map(memoryServiceCases.map((each) => [each.id, each]));

describe('memoryServiceCases', () => {
  it('have a mutant for each contract from 30 to 34', () => {
    expect([...new Set(mutants.map((mutant) => mutant.contract))].sort((a, b) => a - b)).toEqual([30, 31, 32, 33, 34]);
  });

  it.each(mutants.map((mutant) => [mutant.id, mutant] as const))('fail the mutant %s', async (_, mutant) => {
    const each = casesById.get(mutant.caughtBy);
    expect(each?.contracts).toContain(mutant.contract);
    const [result] = await runCases([each!], {
      claims,
      create: (runtime) => mutant.make(runtime),
      reopen: (subject) => others.get(subject)?.() ?? subject,
    });
    expect(result?.error).toBeDefined();
  });

  it.each([...new Set(mutants.map((mutant) => mutant.caughtBy))])('pass a correct service: %s', async (id) => {
    const results = await runCases([casesById.get(id)!], {
      claims,
      create: (runtime) => replaceSteps(runtime, () => ({})),
      reopen: (subject) => others.get(subject)?.() ?? subject,
    });
    expect(results).toEqual([expect.not.objectContaining({ error: expect.anything() })]);
  });
});
