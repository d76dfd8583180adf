import { InMemoryMemoryService } from '@thole/mem-services';
import { invalid, missing } from './google-failure.ts';
import type { GoogleAnswer, GoogleRequest, Routes } from './google-server.ts';
import { checkContent, checkStruct, checkText, checkTime, onlyMembers, pageOf } from './message-checks.ts';
import type { Operations } from './operations.ts';
import type { SessionRoutes } from './session-routes.ts';

interface ServerMemory {
  name: string;
  fact: string;
  scope: { [name: string]: string };
  createTime: string;
  updateTime: string;
  [member: string]: unknown;
}

interface ServerContent {
  parts?: { text?: string }[];
}

const PATH =
  /^\/v1beta1\/(projects\/[^/]+\/locations\/[^/]+\/reasoningEngines\/([^/]+))\/memories(?:\/([^/:]+))?(?::(\w+))?$/;
const MEMBERS = ['fact', 'scope', 'displayName', 'description', 'metadata', 'topics', 'expireTime', 'ttl'];
const REVISIONS = ['disableMemoryRevisions', 'revisionLabels', 'revisionTtl', 'revisionExpireTime'];

/**
 * Routes of Memory Bank. Instead of a model, each text becomes one fact, and known facts are dropped. A search ranks by words
 * with `@thole/recall`. Like the service, it returns all memories of the scope, the nearest first.
 */
export class MemoryRoutes implements Routes {
  readonly #operations: Operations;
  readonly #sessions: SessionRoutes;
  readonly #engines = new Map<string, Map<string, ServerMemory>>();
  readonly #ingested = new Set<string>();
  #count = 0;

  constructor(operations: Operations, sessions: SessionRoutes) {
    this.#operations = operations;
    this.#sessions = sessions;
  }

  /** The facts of an engine, oldest first. */
  factsIn(engine: string): string[] {
    return [...(this.#engines.get(engine)?.values() ?? [])].map(({ fact }) => fact);
  }

  answer(request: GoogleRequest): GoogleAnswer | Promise<GoogleAnswer> | undefined {
    const match = PATH.exec(request.path);
    if (!match) return undefined;
    const [, parent = '', engineId = '', id, verb] = match;
    if (this.#sessions.missingEngines.has(engineId)) throw missing(`The ReasoningEngine ${parent}`);
    const memories = this.#engines.get(engineId) ?? new Map<string, ServerMemory>();
    this.#engines.set(engineId, memories);
    const { method, query } = request;
    if (id === undefined) {
      if (method === 'GET') return list(query, memories);
      if (verb === undefined) return this.#create(request, memories, parent);
      if (verb === 'generate') return this.#generate(request, memories, parent);
      if (verb === 'ingestEvents') return this.#ingest(request, memories, parent);
      if (verb === 'retrieve') return retrieve(request, memories);
      if (verb === 'purge') return this.#purge(request, memories, parent);
      throw missing(request.path);
    }
    if (!/^[a-z0-9-]{1,63}$/.test(id)) throw invalid('Invalid Memory name.');
    const memory = memories.get(id);
    if (!memory) throw missing(`The Memory ${parent}/memories/${id}`);
    if (method === 'GET') return { json: memory };
    if (method === 'PATCH') return this.#patch(request, memory);
    if (method !== 'DELETE') throw missing(request.path);
    memories.delete(id);
    return this.#operations.start(memory.name);
  }

  #create({ json, query }: GoogleRequest, memories: Map<string, ServerMemory>, parent: string): GoogleAnswer {
    onlyMembers(json, [...MEMBERS, ...REVISIONS], 'memory');
    checkMemory(json);
    const id = query.get('memoryId') ?? `${3_000_000_000 + ++this.#count}`;
    if (query.has('memoryId') && !/^[a-z][a-z0-9-]{0,62}$/.test(id)) throw invalid('Invalid memory_id.');
    if (memories.has(id)) throw invalid(`Memory with id ${id} already exists.`);
    return this.#operations.start(parent, this.#add(memories, parent, id, json));
  }

  #patch({ json, query }: GoogleRequest, memory: ServerMemory): GoogleAnswer {
    onlyMembers(json, [...MEMBERS, ...REVISIONS], 'memory');
    checkMemory({ scope: memory.scope, fact: memory.fact, ...json });
    for (const member of (query.get('updateMask') ?? '').split(',')) {
      if (!MEMBERS.includes(member)) throw invalid(`Invalid update mask: ${member}.`);
      memory[member] = json[member];
    }
    memory.updateTime = this.#now();
    return this.#operations.start(memory.name, memory);
  }

  #generate({ json }: GoogleRequest, memories: Map<string, ServerMemory>, parent: string): GoogleAnswer {
    const sources = ['vertexSessionSource', 'directContentsSource', 'directMemoriesSource'];
    const options = ['disableConsolidation', 'metadata', 'metadataMergeStrategy', 'allowedTopics'];
    onlyMembers(json, [...sources, ...options, ...REVISIONS, 'scope'], 'request');
    checkScope(json['scope']);
    if (sources.filter((name) => json[name] !== undefined).length !== 1)
      throw invalid('Exactly one source is required.');
    const direct = json['directMemoriesSource'] as { directMemories: { fact: string }[] } | undefined;
    if (direct && direct.directMemories.length > 5) throw invalid('At most 5 direct memories are allowed.');
    const contents = json['directContentsSource'] as { events: { content: ServerContent }[] } | undefined;
    const { session } = (json['vertexSessionSource'] ?? {}) as { session?: string };
    const facts = [
      ...(direct?.directMemories ?? []).map(({ fact }) => fact),
      ...(contents?.events ?? []).map(({ content }) => factOf(content)),
      ...(session === undefined ? [] : this.#sessions.eventsOf(session)).map(({ content }) => factOf(content ?? {})),
    ];
    const extra = { ...(json['metadata'] !== undefined && { metadata: json['metadata'] }) };
    const generated = facts.flatMap((fact) => this.#extract(memories, parent, json['scope'], fact, extra));
    const generatedMemories = generated.map(({ name }) => ({ memory: { name }, action: 'CREATED' }));
    return this.#operations.start(parent, { generatedMemories });
  }

  #ingest({ json }: GoogleRequest, memories: Map<string, ServerMemory>, parent: string): GoogleAnswer {
    onlyMembers(
      json,
      ['streamId', 'directContentsSource', 'scope', 'generationTriggerConfig', 'forceFlush'],
      'request',
    );
    checkScope(json['scope']);
    const { events = [] } = (json['directContentsSource'] ?? {}) as {
      events?: { content: ServerContent; eventId?: string; eventTime?: string }[];
    };
    for (const event of events) {
      onlyMembers(event, ['content', 'eventId', 'eventTime'], 'event');
      checkContent(event.content, 'event.content');
      if (event.eventTime !== undefined) checkTime(event.eventTime, 'event.event_time');
      const key = JSON.stringify([parent, json['scope'], json['streamId'], event.eventId]);
      if (event.eventId !== undefined && this.#ingested.has(key)) continue;
      this.#ingested.add(key);
      this.#extract(memories, parent, json['scope'], factOf(event.content), {});
    }
    return this.#operations.start(parent);
  }

  #purge({ json }: GoogleRequest, memories: Map<string, ServerMemory>, parent: string): GoogleAnswer {
    onlyMembers(json, ['filter', 'filterGroups', 'force'], 'request');
    const found = [...memories].filter(([, memory]) => isInScope(memory, json['filter']));
    if (json['force'] === true) for (const [id] of found) memories.delete(id);
    return this.#operations.start(parent, { purgeCount: found.length });
  }

  #extract(
    memories: Map<string, ServerMemory>,
    parent: string,
    scope: unknown,
    fact: string,
    extra: object,
  ): ServerMemory[] {
    if (fact.trim() === '') return [];
    const isKnown = [...memories.values()].some((each) => each.fact === fact && sameScope(each.scope, scope));
    return isKnown ? [] : [this.#add(memories, parent, `${3_000_000_000 + ++this.#count}`, { ...extra, fact, scope })];
  }

  #add(memories: Map<string, ServerMemory>, parent: string, id: string, members: object): ServerMemory {
    const now = this.#now();
    const memory = { ...members, name: `${parent}/memories/${id}`, createTime: now, updateTime: now } as ServerMemory;
    memories.set(id, memory);
    return memory;
  }

  #now(): string {
    return new Date().toISOString().replace('Z', `${String(++this.#count % 1_000_000).padStart(6, '0')}Z`);
  }
}

/** Returns all memories with exactly this scope, the nearest first. */
async function retrieve({ json }: GoogleRequest, memories: Map<string, ServerMemory>): Promise<GoogleAnswer> {
  onlyMembers(json, ['scope', 'similaritySearchParams', 'simpleRetrievalParams', 'filter', 'filterGroups'], 'request');
  checkScope(json['scope']);
  const { searchQuery, topK = 3 } = (json['similaritySearchParams'] ?? {}) as { searchQuery?: string; topK?: number };
  if (typeof searchQuery !== 'string' || searchQuery === '') throw invalid('search_query is required.');
  if (topK > 100) throw invalid('top_k must be at most 100.');
  const inScope = [...memories.values()].filter((memory) => sameScope(memory.scope, json['scope']));
  const ranking = new InMemoryMemoryService();
  const user = { appName: 'a', userId: 'u' };
  const entries = inScope.map(({ name, fact, updateTime }) => ({
    ...{ id: name, kind: 'note' as const, content: { parts: [{ text: fact }] } },
    timestamp: new Date(updateTime).getTime() / 1000,
  }));
  await ranking.addMemory({ ...user, memories: entries });
  const { memories: ranked } = await ranking.searchMemory({ ...user, query: searchQuery, limit: 1000 });
  const distances = new Map(ranked.map(({ id, score = 0 }) => [id, 1 / (1 + score)]));
  const found = inScope
    .toReversed()
    .map((memory) => ({ memory, distance: distances.get(memory.name) ?? 1.5 }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, topK);
  return { json: found.length === 0 ? {} : { retrievedMemories: found } };
}

function list(query: URLSearchParams, memories: Map<string, ServerMemory>): GoogleAnswer {
  if (![null, 'create_time'].includes(query.get('orderBy'))) throw invalid('Invalid order_by.');
  const filter = query.get('filter');
  const found = [...memories.values()].filter((memory) => filter === null || isInScope(memory, filter));
  const { page, ...next } = pageOf(found, query);
  return { json: { ...(page.length > 0 && { memories: page }), ...next } };
}

function factOf({ parts = [] }: ServerContent): string {
  return parts.map(({ text = '' }) => text).join('');
}

function isInScope({ scope }: ServerMemory, filter: unknown): boolean {
  const [, quoted] = /^scope="((?:[^"\\]|\\.)*)"$/s.exec(String(filter)) ?? [];
  if (quoted === undefined) throw invalid('Invalid filter.');
  return sameScope(scope, JSON.parse(quoted.replaceAll(/\\(.)/gs, '$1')));
}

function sameScope(a: unknown, b: unknown): boolean {
  const sorted = (scope: unknown): string =>
    JSON.stringify(Object.entries(scope as object).sort(([x], [y]) => (x < y ? -1 : 1)));
  return sorted(a) === sorted(b);
}

function checkScope(scope: unknown): void {
  const entries = Object.entries((scope ?? {}) as object);
  if (entries.length === 0 || entries.length > 5) throw invalid('scope must have 1 to 5 members.');
  for (const [, value] of entries) {
    if (typeof value !== 'string' || value === '' || value.includes('*')) throw invalid('Invalid value of scope.');
    checkText(value, 'scope');
  }
}

function checkMemory(json: { readonly [name: string]: unknown }): void {
  checkScope(json['scope']);
  if (typeof json['fact'] !== 'string' || json['fact'] === '') throw invalid('fact is required.');
  checkStruct(json, 'memory');
  for (const value of Object.values((json['metadata'] ?? {}) as object))
    onlyMembers(value, ['boolValue', 'doubleValue', 'stringValue', 'timestampValue'], 'memory.metadata');
}
