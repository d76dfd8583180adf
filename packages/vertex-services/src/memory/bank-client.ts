import { TholeError } from '@thole/core';
import { KeyedQueue } from '@thole/core/kit';
import type { JsonObject, MemoryEntry, SearchMemoryRequest, SessionRef } from '@thole/core';
import { hasExpired } from '@thole/recall/kit';
import type { AgentEngines } from '../client/agent-engine.ts';
import { httpStatusOf, isTaken } from '../client/map-google-error.ts';
import { quoteFilterValue } from '../client/vertex-client.ts';
import type { VertexClient } from '../client/vertex-client.ts';
import type { VertexPath } from '../client/vertex-path.ts';
import { readableText } from '../client/struct-value.ts';
import { formatMicros, toMicros } from '../client/wire-time.ts';
import { fromBankMemory, memoryIdOf, toBankMemory } from './bank-memory.ts';
import type { BankMetadata } from './bank-metadata.ts';
import { bankScopeKey, isSameScope } from './bank-scope.ts';
import type { BankScope } from './bank-scope.ts';
import { toScore } from './to-score.ts';

/** Maximum number of facts in one request of `memories:generate`. */
const MAX_DIRECT_MEMORIES = 5;

/** An entry and its path in the service. */
interface FoundMemory {
  readonly path: VertexPath;
  readonly entry: MemoryEntry;
}

/** The requests to Memory Bank. */
export class BankClient {
  readonly #client: VertexClient;
  readonly #engines: AgentEngines;
  /** Runs changes of one entry one at a time. */
  readonly #changes = new KeyedQueue();

  constructor(client: VertexClient, engines: AgentEngines) {
    this.#client = client;
    this.#engines = engines;
  }

  /** Returns the memories that the service finds for a query. The caller applies filters. */
  async retrieve(
    { appName, query, signal }: SearchMemoryRequest,
    scope: BankScope,
    topK: number,
  ): Promise<(MemoryEntry & { score: number })[]> {
    const body = { scope, similaritySearchParams: { searchQuery: query.toWellFormed(), topK } };
    const url = this.#client.url(this.#memoriesPath(appName), ':retrieve');
    const answer = await this.#client.json({ method: 'POST', isRead: true, url, body, signal });
    return (
      ((answer['retrievedMemories'] ?? []) as { memory: JsonObject; distance?: number }[])
        // The service already filters by scope. This check costs nothing.
        .filter(({ memory }) => isSameScope(scope, memory['scope']))
        .map(({ memory, distance = 0 }) => ({ ...fromBankMemory(memory), score: toScore(distance) }))
    );
  }

  /** Sends turns. Memory Bank extracts facts from them later. */
  async ingest(
    p: SessionRef,
    scope: BankScope,
    turns: readonly MemoryEntry[],
    { ingest }: BankMetadata,
  ): Promise<void> {
    const events = turns.map(({ content, timestamp, eventId }) => ({
      content: toWellFormedContent(content),
      // Unique in the stream, which is the session: the service ingests each event once.
      eventId: eventId!,
      eventTime: formatMicros(toMicros(timestamp!)),
    }));
    const body = { streamId: p.sessionId, ...ingest, directContentsSource: { events }, scope };
    const url = this.#client.url(this.#memoriesPath(p.appName), ':ingestEvents');
    await this.#client.json({ method: 'POST', url, body: body as unknown as JsonObject });
  }

  /** Extracts facts at once. */
  async generate(appName: string, source: JsonObject, metadata: BankMetadata): Promise<void> {
    const url = this.#client.url(this.#memoriesPath(appName), ':generate');
    const body = { ...source, ...metadata.generate, ...(metadata.metadata && { metadata: metadata.metadata }) };
    const started = await this.#client.json({ method: 'POST', url, body, isUnrepeatable: true });
    if (metadata.waitsForCompletion) await this.#client.waitForOperation(started, this.#engines.find(appName).location);
  }

  /** Merges the texts of entries with the facts of Memory Bank. */
  async consolidate(
    appName: string,
    scope: BankScope,
    entries: readonly MemoryEntry[],
    metadata: BankMetadata,
  ): Promise<void> {
    const now = this.#client.runtime.now();
    for (let i = 0; i < entries.length; i += MAX_DIRECT_MEMORIES) {
      const facts = entries.slice(i, i + MAX_DIRECT_MEMORIES).map((entry) => toBankMemory(entry, scope, now)['fact']!);
      const directMemories = facts.map((fact) => ({ fact }));
      await this.generate(appName, { directMemoriesSource: { directMemories }, scope }, metadata);
    }
  }

  /** Stores entries unchanged. */
  async write(
    appName: string,
    scope: BankScope,
    entries: readonly MemoryEntry[],
    { create, metadata, memoryId: givenId }: BankMetadata,
  ): Promise<void> {
    const { location, name } = this.#memoriesPath(appName);
    for (const entry of entries) {
      const memory = toBankMemory(entry, scope, this.#client.runtime.now());
      const body: JsonObject = {
        ...memory,
        ...create,
        metadata: { ...(memory['metadata'] as JsonObject), ...metadata },
      };
      // The service accepts only one of `ttl` and `expireTime`.
      if (create['ttl'] !== undefined) delete body['expireTime'];
      const memoryId = givenId ?? (await memoryIdOf(scope, entry.id));
      await this.#changes.run(entryKey(scope, entry.id), async () => {
        try {
          const url = this.#client.url({ location, name });
          await this.#client.runOperation({ method: 'POST', url, query: { memoryId }, body }, location);
        } catch (error) {
          if (!isTaken(error)) throw error;
          const path = { location, name: `${name}/${memoryId}` };
          if (givenId !== undefined) await this.#assertScope(path, scope);
          await this.#patch(path, body);
        }
      });
    }
  }

  /** Throws `INVALID_INPUT` if the memory has another scope: ids of callers are unique in an engine, across its users. */
  async #assertScope(path: VertexPath, scope: BankScope): Promise<void> {
    const memory = await this.#client.json({ url: this.#client.url(path) });
    if (!isSameScope(scope, memory['scope']))
      throw new TholeError('INVALID_INPUT', 'customMetadata.memory_id is the id of a memory of another user or scope.');
  }

  /** Replaces an entry by the result of `change`. Returns undefined if the entry does not exist. */
  update(
    appName: string,
    scope: BankScope,
    p: { id: string; change: (entry: MemoryEntry) => MemoryEntry },
  ): Promise<MemoryEntry | undefined> {
    return this.#changes.run(entryKey(scope, p.id), async () => {
      const found = await this.find(appName, scope, p.id);
      if (!found) return undefined;
      const entry = p.change(found.entry);
      try {
        await this.#patch(found.path, toBankMemory(entry, scope, this.#client.runtime.now()));
      } catch (error) {
        // Another process deleted the entry in between.
        if (httpStatusOf(error) === 404) return undefined;
        throw error;
      }
      return entry;
    });
  }

  async #patch(path: VertexPath, body: JsonObject): Promise<void> {
    const others = ['displayName', 'description', 'topics'].filter((name) => body[name] !== undefined);
    const expiry = body['ttl'] === undefined ? 'expireTime' : 'ttl';
    const query = { updateMask: ['fact', 'metadata', expiry, ...others].join(',') };
    await this.#client.runOperation({ method: 'PATCH', url: this.#client.url(path), query, body }, path.location);
  }

  /** Deletes an entry. Returns false if it does not exist. */
  delete(appName: string, scope: BankScope, id: string): Promise<boolean> {
    return this.#changes.run(entryKey(scope, id), async () => {
      const found = await this.find(appName, scope, id);
      if (!found) return false;
      const { path } = found;
      try {
        await this.#client.runOperation({ method: 'DELETE', url: this.#client.url(path) }, path.location);
        return true;
      } catch (error) {
        if (httpStatusOf(error) === 404) return false;
        throw error;
      }
    });
  }

  /** Deletes all memories of a scope. Returns their number. */
  async purge(appName: string, scope: BankScope): Promise<number> {
    const url = this.#client.url(this.#memoriesPath(appName), ':purge');
    const request = { method: 'POST', url, body: { filter: scopeFilter(scope), force: true } } as const;
    const purged = await this.#client.runOperation(request, this.#engines.find(appName).location);
    return Number(purged['purgeCount'] ?? 0);
  }

  /** Yields all memories of a scope. */
  list(appName: string, scope: BankScope, signal: AbortSignal | undefined): AsyncIterable<JsonObject> {
    const url = this.#client.url(this.#memoriesPath(appName));
    const query = { filter: scopeFilter(scope), orderBy: 'create_time' };
    return this.#client.pages({ url, query, signal }, 'memories');
  }

  /** Finds an entry that was added with this id, or a fact that the service extracted with this id. */
  async find(appName: string, scope: BankScope, id: string): Promise<FoundMemory | undefined> {
    const { location, name } = this.#memoriesPath(appName);
    const candidates = [await memoryIdOf(scope, id), ...(/^[\w-]{1,63}$/.test(id) ? [id] : [])];
    for (const candidate of candidates) {
      const path = { location, name: `${name}/${candidate}` };
      try {
        const memory = await this.#client.json({ url: this.#client.url(path) });
        const entry = fromBankMemory(memory);
        if (!isSameScope(scope, memory['scope']) || entry.id !== id) continue;
        return hasExpired(entry, this.#client.runtime.now()) ? undefined : { path, entry };
      } catch (error) {
        const status = httpStatusOf(error);
        if (status !== 404 && status !== 400) throw error;
      }
    }
    return undefined;
  }

  #memoriesPath(appName: string): VertexPath {
    const { location, name } = this.#engines.find(appName);
    return { location, name: `${name}/memories` };
  }
}

/** Returns the texts of a turn as well-formed content. Memory Bank knows the roles `user` and `model`. */
export function toWellFormedContent({ role, parts = [] }: MemoryEntry['content']): JsonObject {
  const texts = parts.map(({ text = '' }) => ({ text: readableText(text) }));
  return { role: role ?? 'user', parts: texts };
}

function scopeFilter(scope: BankScope): string {
  return `scope=${quoteFilterValue(JSON.stringify(scope))}`;
}

function entryKey(scope: BankScope, id: string): string {
  return JSON.stringify([bankScopeKey(scope), id]);
}
