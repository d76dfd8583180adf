import { TholeError } from '@thole/core';
import { sha256Hex } from '@thole/core/kit';
import type { ContextCacheHint, Json, JsonObject, Logger, Runtime } from '@thole/core';

/** Gemini's minimum: a smaller cache is rejected. */
const MIN_TOKENS = 1_024;
/** Maximum number of keys. Above it, the least recently used key is removed. */
const MAX_KEYS = 1_000;
/** Members of a body that a cache contains. Gemini rejects a request that has them next to a cache. */
const CACHED_SETTINGS = ['systemInstruction', 'tools', 'toolConfig'] as const;

/** The two calls of the API that create and delete caches. */
export interface CacheCalls {
  /** Returns the name of the new cache. `body` has the contents and the settings. */
  create(p: { model: string; ttlSeconds: number; body: JsonObject }, signal: AbortSignal): Promise<string>;
  delete(name: string): Promise<void>;
}

/** The beginning of a request, which a cache may contain. */
interface Prefix {
  /** Number of contents in the prefix. */
  readonly count: number;
  /** Hash of the settings. */
  readonly settingsHash: string;
  /** Hash of the settings and the contents. */
  readonly hash: string;
}

interface Cache {
  readonly name: string;
  readonly prefix: Prefix;
  /** In seconds since the epoch. */
  readonly usableUntil: number;
  usesLeft: number;
}

/** State of the requests with one key to one model. */
interface Entry {
  cache: Cache | undefined;
  /** The beginning of the last request. */
  last: Prefix | undefined;
  /** Prompt tokens of the last answer. */
  tokens: number;
  /** Number of calls that create no cache, after a failure. */
  pausedCalls: number;
  isCreating: boolean;
  hasWarned: boolean;
}

/** A body to send. */
export interface PreparedBody {
  readonly body: JsonObject;
  /** True if the body names a cache. */
  readonly hasCache: boolean;
  /** Must be called with the prompt tokens of the final answer. */
  onAnswer(tokens: number | undefined): void;
  /** Must be called if the server does not accept the cache. */
  onCacheRejected(): void;
}

/** Model, hint and signal of a request. */
interface RequestContext {
  readonly hint: ContextCacheHint;
  readonly model: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * Creates and reuses explicit caches: one for each model and key of the hint. A cache contains the system instruction, the tools and the contents
 * before the user's newest message. It is created when two consecutive requests begin the same and the prompt is long enough.
 * It is created again after `cacheIntervals` calls, shortly before it expires, and after the prompt begins differently. If that
 * fails, the request is sent without a cache; one warning per key is logged.
 */
export class ContextCaches {
  readonly #calls: CacheCalls;
  readonly #runtime: Runtime;
  readonly #entries = new Map<string, Entry>();

  constructor(calls: CacheCalls, runtime: Runtime) {
    this.#calls = calls;
    this.#runtime = runtime;
  }

  /** Returns the body to send, with a cache if there is one. Throws only the reason of an aborted signal. */
  async prepare(body: JsonObject, p: RequestContext): Promise<PreparedBody> {
    const entry = this.#entryOf(`${p.model} ${p.hint.key}`);
    const prefix = await prefixOf(body);
    if (!(await this.#isUsable(entry.cache, body, prefix))) await this.#createIfStable(entry, body, prefix, p);
    p.signal.throwIfAborted();
    entry.last = prefix;
    const cache = (await this.#isUsable(entry.cache, body, prefix)) ? entry.cache : undefined;
    if (cache) cache.usesLeft--;
    return {
      body: cache ? withCache(body, cache) : body,
      hasCache: cache !== undefined,
      onAnswer: (tokens) => void (entry.tokens = tokens ?? entry.tokens),
      onCacheRejected: () => {
        if (entry.cache === cache) entry.cache = undefined;
        entry.last = undefined;
      },
    };
  }

  async #isUsable(cache: Cache | undefined, body: JsonObject, prefix: Prefix): Promise<boolean> {
    if (!cache || cache.usesLeft <= 0 || this.#runtime.now() >= cache.usableUntil) return false;
    return beginsWith(body, prefix, cache.prefix);
  }

  async #createIfStable(entry: Entry, body: JsonObject, prefix: Prefix, p: RequestContext): Promise<void> {
    const { hint } = p;
    if (entry.pausedCalls > 0) return void entry.pausedCalls--;
    if (entry.isCreating || !entry.last || entry.tokens < Math.max(hint.minTokens ?? 0, MIN_TOKENS)) return;
    if (prefix.count === 0 && !CACHED_SETTINGS.some((name) => body[name] !== undefined)) return;
    if (!(await beginsWith(body, prefix, entry.last))) return;
    entry.isCreating = true;
    const { cacheIntervals = 10, ttlSeconds = 1_800 } = hint;
    const startedAt = this.#runtime.now();
    try {
      const name = await this.#calls.create({ model: p.model, ttlSeconds, body: bodyOfCache(body, prefix) }, p.signal);
      const old = entry.cache;
      // A cache that expires during a call would make the call fail.
      const usableUntil = startedAt + ttlSeconds - Math.min(60, ttlSeconds / 10);
      entry.cache = { name, prefix, usableUntil, usesLeft: cacheIntervals };
      if (old) this.#delete(old);
    } catch (error) {
      if (p.signal.aborted) return;
      entry.pausedCalls = cacheIntervals;
      if (entry.hasWarned) return;
      entry.hasWarned = true;
      const code = TholeError.is(error) ? error.code : undefined;
      p.logger.warn('A context cache was not created. Requests are sent without it.', {
        provider: 'gemini',
        model: p.model,
        code,
        error: TholeError.is(error) ? error.message : String(error),
      });
    } finally {
      entry.isCreating = false;
    }
  }

  #entryOf(key: string): Entry {
    const known = this.#entries.get(key);
    // Moves the entry to the end: the first entry of the map is the least recently used one.
    if (known) this.#entries.delete(key);
    const entry = known ?? newEntry();
    this.#entries.set(key, entry);
    if (this.#entries.size > MAX_KEYS) {
      const [oldest, { cache }] = this.#entries.entries().next().value!;
      this.#entries.delete(oldest);
      if (cache) this.#delete(cache);
    }
    return entry;
  }

  /** Does not wait for the deletion and ignores its errors: the cache expires anyway. */
  #delete({ name, usableUntil }: Cache): void {
    if (this.#runtime.now() < usableUntil) this.#calls.delete(name).catch(() => {});
  }
}

function newEntry(): Entry {
  return { cache: undefined, last: undefined, tokens: 0, pausedCalls: 0, isCreating: false, hasWarned: false };
}

async function prefixOf(body: JsonObject): Promise<Prefix> {
  const count = countStableContents(contentsIn(body));
  const settings = await hashOf(CACHED_SETTINGS.map((name) => body[name] ?? null));
  return { count, settingsHash: settings, hash: await prefixHash(body, count, settings) };
}

/** True if the body begins with the prefix and has more contents. `own` is the body's own prefix. */
async function beginsWith(body: JsonObject, own: Prefix, prefix: Prefix): Promise<boolean> {
  if (own.settingsHash !== prefix.settingsHash || contentsIn(body).length <= prefix.count) return false;
  if (own.count === prefix.count) return own.hash === prefix.hash;
  return (await prefixHash(body, prefix.count, prefix.settingsHash)) === prefix.hash;
}

const prefixHash = (body: JsonObject, count: number, settings: string): Promise<string> =>
  hashOf([settings, contentsIn(body).slice(0, count)]);

const contentsIn = (body: JsonObject): JsonObject[] => body['contents'] as JsonObject[];

/**
 * Returns the number of contents before the user's newest message. Texts directly before that message, such as instructions
 * and memory, are not counted, because they differ from turn to turn.
 */
function countStableContents(contents: readonly JsonObject[]): number {
  let count = contents.findLastIndex(isMessage);
  while (count > 0 && isMessage(contents[count - 1]!)) count--;
  return Math.max(count, 0);
}

/** True for a user message that does not contain answers to calls. */
function isMessage({ role, parts }: JsonObject): boolean {
  return (
    role !== 'model' && !(parts as JsonObject[] | undefined)?.some((part) => part['functionResponse'] !== undefined)
  );
}

function bodyOfCache(body: JsonObject, { count }: Prefix): JsonObject {
  const settings = CACHED_SETTINGS.flatMap((name): [string, Json][] =>
    body[name] === undefined ? [] : [[name, body[name]]],
  );
  return { ...Object.fromEntries(settings), ...(count > 0 && { contents: contentsIn(body).slice(0, count) }) };
}

function withCache(body: JsonObject, { name, prefix }: Cache): JsonObject {
  const rest = Object.fromEntries(
    Object.entries(body).filter(([key]) => !(CACHED_SETTINGS as readonly string[]).includes(key)),
  );
  return { ...rest, contents: contentsIn(body).slice(prefix.count), cachedContent: name } as JsonObject;
}

function hashOf(value: unknown): Promise<string> {
  return sha256Hex(JSON.stringify(value));
}
