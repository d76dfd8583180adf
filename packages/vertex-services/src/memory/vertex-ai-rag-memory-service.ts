import { TholeError } from '@thole/core';
import {
  assertCount,
  assertSessionRef,
  invalidInput,
  isPlainObject,
  KeyedQueue,
  memoryKeyOf,
  optionNames,
  parseJson,
  raceAbort,
  raceAbortWrite,
  rejectUnknownOptions,
  sha256Hex,
} from '@thole/core/kit';
import type {
  CallOptions,
  Event,
  MemoryEntry,
  MemoryRef,
  MemoryScope,
  MemoryService,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Session,
  SessionRef,
} from '@thole/core';
import { matchesFilter } from '@thole/recall';
import { assertEvents, assertSearch, filterByMinScore, turnsOf } from '@thole/recall/kit';
import { assertGoogleOptions, googleOptionNames } from '../client/google-options.ts';
import type { GoogleOptions } from '../client/google-options.ts';
import { VertexClient } from '../client/vertex-client.ts';
import { resolveVertexPath } from '../client/vertex-path.ts';
import type { VertexPath } from '../client/vertex-path.ts';
import { toScore } from './to-score.ts';
import { mergePassages } from './merge-passages.ts';
import { RagCorpus } from './rag-corpus.ts';
import type { RagFile } from './rag-corpus.ts';
import { RagFileNames } from './rag-file-names.ts';
import { fromRagLines, toRagLines, toTurnEntry } from './rag-lines.ts';

/** Default number of results. */
const LIMIT = 10;
/** Number of passages to find if the results are filtered. */
const FILTERED_TOP_K = 50;

/** Options of `VertexAiRagMemoryService`. */
export interface VertexAiRagMemoryServiceOptions extends GoogleOptions {
  /** Id of the RAG corpus, or `projects/…/locations/…/ragCorpora/…`. It must exist. */
  ragCorpus: string;
  /** Project id or number, if `ragCorpus` is an id. Default: GOOGLE_CLOUD_PROJECT. */
  project?: string | undefined;
  /** Location such as `us-central1`, if `ragCorpus` is an id. Default: GOOGLE_CLOUD_LOCATION. */
  location?: string | undefined;
  /** Maximum number of passages that a search finds. Each has several turns. Default: 5. */
  similarityTopK?: number | undefined;
  /** A search finds only passages with a smaller distance from the query. Default: 0.7. */
  vectorDistanceThreshold?: number | undefined;
}

const ownOptionNames = optionNames<Omit<VertexAiRagMemoryServiceOptions, keyof GoogleOptions>>({
  ragCorpus: true,
  project: true,
  location: true,
  similarityTopK: true,
  vectorDistanceThreshold: true,
});

/**
 * Memory in Vertex AI RAG Engine: one file of JSON lines for each session, with ADK's display names. A search returns the
 * turns of the passages that are nearest to the query, in the order of their session.
 */
export class VertexAiRagMemoryService implements MemoryService {
  readonly #client: VertexClient;
  readonly #corpus: RagCorpus;
  readonly #topK: number;
  readonly #threshold: number;
  /** Uploads of one session run one at a time. */
  readonly #uploads = new KeyedQueue();

  constructor(options: VertexAiRagMemoryServiceOptions) {
    const owner = 'VertexAiRagMemoryService';
    rejectUnknownOptions(options, [...googleOptionNames, ...ownOptionNames], owner);
    assertGoogleOptions(options, owner);
    const { similarityTopK = 5, vectorDistanceThreshold = 0.7 } = options;
    assertCount('similarityTopK', similarityTopK, 1);
    if (typeof vectorDistanceThreshold !== 'number' || !(vectorDistanceThreshold > 0))
      throw invalidInput('vectorDistanceThreshold', 'a number > 0', vectorDistanceThreshold);
    this.#client = new VertexClient(options);
    this.#corpus = new RagCorpus(this.#client, corpusPath(options, owner));
    this.#topK = similarityTopK;
    this.#threshold = vectorDistanceThreshold;
  }

  /** Resolves if the account may list the files of the corpus. Throws `STORE_UNAVAILABLE` otherwise. */
  async ping(): Promise<void> {
    await this.#corpus.ping();
  }

  /**
   * Uploads the turns of the session as one file, and deletes earlier files of the session that this file
   * contains. Files with other turns of the session stay.
   */
  async addSessionToMemory(session: Session, call: CallOptions = {}): Promise<void> {
    if (typeof session !== 'object' || session === null) throw invalidInput('session', 'a Session', session);
    const { appName, userId, id: sessionId, events } = session;
    assertSessionRef({ appName, userId, sessionId });
    assertEvents(events);
    const scope = memoryKeyOf({ appName, userId }, undefined);
    const turns = turnsOf(sessionId, events);
    call.signal?.throwIfAborted();
    if (turns.length === 0) return;
    const names = await RagFileNames.create(scope);
    const displayName = await names.nameOf(sessionId);
    const isNamed = names.sessionIdIn(displayName) !== undefined;
    const text = toRagLines(turns, events, isNamed ? undefined : sessionId);
    const adding = this.#uploads.run(displayName, () => this.#upload(displayName, text, turns));
    await raceAbortWrite(adding, call.signal);
  }

  async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    assertSearch(p);
    const scope = memoryKeyOf(p, p.scope);
    p.signal?.throwIfAborted();
    const { limit = LIMIT, query } = p;
    if (limit === 0 || query.trim() === '') return { memories: [] };
    return raceAbort(this.#search(scope, p, limit), p.signal);
  }

  /**
   * Deletes the files of one session and returns the number of their turns. RAG Engine keeps no record of deletions: adding
   * the session again stores it again.
   */
  async deleteSessionMemory(
    p: SessionRef & MemoryRef & { events?: readonly Event[] | undefined } & CallOptions,
  ): Promise<number> {
    assertSessionRef(p);
    if (p.events !== undefined) assertEvents(p.events);
    const scope = memoryKeyOf(p, p.scope);
    p.signal?.throwIfAborted();
    const names = await RagFileNames.create(scope);
    const displayName = await names.nameOf(p.sessionId);
    const isWanted = (name: string): boolean => name === displayName || names.sessionIdIn(name) === p.sessionId;
    const deleting = this.#uploads.run(displayName, () => this.#remove(isWanted));
    return raceAbortWrite(deleting, p.signal);
  }

  /** Deletes the files of all sessions of the user and returns the number of their turns. */
  async deleteUserMemory(p: MemoryRef & CallOptions): Promise<number> {
    const scope = memoryKeyOf(p, p.scope);
    p.signal?.throwIfAborted();
    const names = await RagFileNames.create(scope);
    return raceAbortWrite(
      this.#remove((name) => names.has(name)),
      p.signal,
    );
  }

  async #upload(displayName: string, text: string, turns: readonly MemoryEntry[]): Promise<void> {
    const content: FileContent = { sha256: await sha256Hex(text), turns: turns.length, ...spanOf(turns) };
    const earlier = await this.#filesOf(displayName);
    if (!earlier.some((file) => contentOf(file)?.sha256 === content.sha256)) {
      const description = JSON.stringify(content);
      await this.#corpus.upload({ displayName, description }, text).catch(async (error: unknown) => {
        if (!TholeError.is(error, 'STORE_OUTCOME_UNKNOWN')) throw error;
        // The file may be stored although the answer was lost.
        const files = await this.#filesOf(displayName).catch(() => []);
        if (!files.some((file) => file.description === description)) throw error;
      });
    }
    for (const file of earlier) if (isWithin(contentOf(file), content)) await this.#corpus.remove(file.id);
  }

  #filesOf(displayName: string): Promise<RagFile[]> {
    return this.#corpus.listFiles((name) => name === displayName);
  }

  async #search(scope: MemoryScope, p: SearchMemoryRequest, limit: number): Promise<SearchMemoryResponse> {
    const names = await RagFileNames.create(scope);
    const files = await this.#corpus.listFiles((name) => names.has(name), p.signal);
    if (files.length === 0) return { memories: [] };
    const contexts = await this.#corpus.retrieve({
      text: p.query.toWellFormed().replaceAll('\0', ' '),
      topK: p.filter ? Math.max(this.#topK, FILTERED_TOP_K) : this.#topK,
      vectorDistanceThreshold: this.#threshold,
      ragFileIds: files.map(({ id }) => id),
      signal: p.signal,
    });
    const passages = contexts
      // The service already searches only the files of the user. This check costs nothing.
      .filter(({ displayName }) => names.has(displayName))
      .map(({ displayName, text, distance }) => ({
        file: displayName,
        turns: fromRagLines(text, names.sessionIdIn(displayName)),
        score: toScore(distance),
      }));
    const found = mergePassages(passages)
      .flatMap(({ turns, score }) => turns.map((turn) => ({ ...toTurnEntry(turn), score })))
      .filter((entry) => matchesFilter(entry, p.filter ?? {}));
    return { memories: filterByMinScore(found, p.minScore).slice(0, limit) };
  }

  async #remove(isWanted: (displayName: string) => boolean): Promise<number> {
    let count = 0;
    for (const file of await this.#corpus.listFiles(isWanted))
      if (await this.#corpus.remove(file.id)) count += contentOf(file)?.turns ?? 1;
    return count;
  }
}

/** The content of a file, read from its description, because the file itself cannot be read. */
interface FileContent {
  sha256: string;
  /** Number of turns. */
  turns: number;
  /** Time in seconds and id of the first turn. */
  from: readonly [time: number, eventId: string];
  /** Time of the last turn in seconds. */
  to: number;
}

function spanOf(turns: readonly MemoryEntry[]): Pick<FileContent, 'from' | 'to'> {
  const times = turns.map(({ timestamp }) => timestamp!);
  return { from: [times[0]!, turns[0]!.eventId!], to: Math.max(...times) };
}

function contentOf({ description }: RagFile): FileContent | undefined {
  const value = parseJson(description);
  return isPlainObject(value) && Array.isArray(value['from']) ? (value as unknown as FileContent) : undefined;
}

/**
 * True if `file` contains all turns of an earlier file of the same session. Each file contains the session from
 * some event to its end at that time.
 */
function isWithin(earlier: FileContent | undefined, file: FileContent): boolean {
  if (!earlier || earlier.sha256 === file.sha256 || earlier.to > file.to) return false;
  return earlier.from[0] > file.from[0] || (earlier.from[0] === file.from[0] && earlier.from[1] === file.from[1]);
}

function corpusPath(options: VertexAiRagMemoryServiceOptions, owner: string): VertexPath {
  const path = resolveVertexPath(options.ragCorpus, 'ragCorpora', { options, owner });
  if (path) return path;
  throw new TholeError(
    'INVALID_INPUT',
    `ragCorpus of ${owner} must be the id of a RAG corpus or projects/…/locations/…/ragCorpora/….`,
  );
}
