import { TholeError } from '@thole/core';
import type { ContextCacheHint, Json, JsonObject, Logger, Runtime } from '@thole/core';

/** Gemini's own minimum: a smaller cache is rejected. */
const MIN_TOKENS = 1_024;
/** Maximum number of keys. The oldest is forgotten. */
const MAX_KEYS = 1_000;
/** Members of a body that a cache contains. Gemini rejects a request that has them next to a cache. */
const CACHED = ['systemInstruction', 'tools', 'toolConfig'] as const;

/** Calls of the API for caches. */
export interface CacheCalls {
  /** Returns the name of the new cache. `body` has the contents and the settings. */
  create(p: { model: string; ttlSeconds: number; body: JsonObject }, signal: AbortSignal): Promise<string>;
  delete(name: string): Promise<void>;
}

/** The beginning of a request, which a cache may contain. */
interface Prefix {
  /** Number of contents. */
  readonly count: number;
  /** Hash of the settings. */
  readonly settings: string;
  /** Hash of the settings and the contents. */
  readonly whole: string;
}

interface Cache {
  readonly name: string;
  readonly prefix: Prefix;
  /** Seconds since the epoch. */
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
  /** Number of calls without a new cache, after a failure. */
  pause: number;
  isBusy: boolean;
  hasWarned: boolean;
}

/** A body to send. */
export interface PreparedBody {
  readonly body: JsonObject;
  /** True if the body names a cache. */
  readonly hasCache: boolean;
  /** Called with the prompt tokens of the final answer. */
  answered(tokens: number | undefined): void;
  /** Called if the server does not accept the cache. */
  refused(): void;
}

/** The request of a body. */
interface BodyInit {
  readonly hint: ContextCacheHint;
  readonly model: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * Explicit caches, by the key of the hint and the model. A cache contains the system instruction, the tools and the contents
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
  async prepare(body: JsonObject, p: BodyInit): Promise<PreparedBody> {
    const entry = this.#entryOf(`${p.model} ${p.hint.key}`);
    const prefix = await prefixOf(body);
    if (!(await this.#isUsable(entry.cache, body, prefix))) await this.#mayCreate(entry, body, prefix, p);
    p.signal.throwIfAborted();
    entry.last = prefix;
    const cache = (await this.#isUsable(entry.cache, body, prefix)) ? entry.cache : undefined;
    if (cache) cache.usesLeft--;
    return {
      body: cache ? withCache(body, cache) : body,
      hasCache: cache !== undefined,
      answered: (tokens) => void (entry.tokens = tokens ?? entry.tokens),
      refused: () => {
        if (entry.cache === cache) entry.cache = undefined;
        entry.last = undefined;
      },
    };
  }

  async #isUsable(cache: Cache | undefined, body: JsonObject, prefix: Prefix): Promise<boolean> {
    if (!cache || cache.usesLeft <= 0 || this.#runtime.now() >= cache.usableUntil) return false;
    return beginsWith(body, prefix, cache.prefix);
  }

  async #mayCreate(entry: Entry, body: JsonObject, prefix: Prefix, p: BodyInit): Promise<void> {
    const { hint } = p;
    if (entry.pause > 0) return void entry.pause--;
    if (entry.isBusy || !entry.last || entry.tokens < Math.max(hint.minTokens ?? 0, MIN_TOKENS)) return;
    if (prefix.count === 0 && !CACHED.some((name) => body[name] !== undefined)) return;
    if (!(await beginsWith(body, prefix, entry.last))) return;
    entry.isBusy = true;
    const { cacheIntervals = 10, ttlSeconds = 1_800 } = hint;
    const startedAt = this.#runtime.now();
    try {
      const name = await this.#calls.create({ model: p.model, ttlSeconds, body: cachedBody(body, prefix) }, p.signal);
      const old = entry.cache;
      // A cache that expires during a call would make the call fail.
      const usableUntil = startedAt + ttlSeconds - Math.min(60, ttlSeconds / 10);
      entry.cache = { name, prefix, usableUntil, usesLeft: cacheIntervals };
      if (old) this.#delete(old);
    } catch (error) {
      entry.pause = cacheIntervals;
      if (p.signal.aborted || entry.hasWarned) return;
      entry.hasWarned = true;
      const code = TholeError.is(error) ? error.code : undefined;
      p.logger.warn('A context cache was not created. Requests are sent without it.', {
        ...{ provider: 'gemini', model: p.model, code },
        error: TholeError.is(error) ? error.message : String(error),
      });
    } finally {
      entry.isBusy = false;
    }
  }

  #entryOf(key: string): Entry {
    const known = this.#entries.get(key);
    // Moved to the end: the first entry of the map is the one used longest ago.
    if (known) this.#entries.delete(key);
    const entry = known ?? {
      ...{ cache: undefined, last: undefined, tokens: 0, pause: 0, isBusy: false, hasWarned: false },
    };
    this.#entries.set(key, entry);
    if (this.#entries.size > MAX_KEYS) {
      const [oldest, { cache }] = this.#entries.entries().next().value!;
      this.#entries.delete(oldest);
      if (cache) this.#delete(cache);
    }
    return entry;
  }

  /** Not awaited: a cache that is not deleted expires. */
  #delete({ name, usableUntil }: Cache): void {
    if (this.#runtime.now() < usableUntil) this.#calls.delete(name).catch(() => {});
  }
}

async function prefixOf(body: JsonObject): Promise<Prefix> {
  const count = stableCount(contentsIn(body));
  const settings = await hashOf(CACHED.map((name) => body[name] ?? null));
  return { count, settings, whole: await wholeOf(body, count, settings) };
}

/** True if the body begins with the prefix and has more contents. `own` is the body's own prefix. */
async function beginsWith(body: JsonObject, own: Prefix, prefix: Prefix): Promise<boolean> {
  if (own.settings !== prefix.settings || contentsIn(body).length <= prefix.count) return false;
  if (own.count === prefix.count) return own.whole === prefix.whole;
  return (await wholeOf(body, prefix.count, prefix.settings)) === prefix.whole;
}

const wholeOf = (body: JsonObject, count: number, settings: string): Promise<string> =>
  hashOf([settings, contentsIn(body).slice(0, count)]);

const contentsIn = (body: JsonObject): JsonObject[] => body['contents'] as JsonObject[];

/**
 * Returns the number of contents before the user's newest message and the texts directly before it, such as instructions and
 * memory, which differ from turn to turn.
 */
function stableCount(contents: readonly JsonObject[]): number {
  let at = contents.findLastIndex(isMessage);
  while (at > 0 && isMessage(contents[at - 1]!)) at--;
  return Math.max(at, 0);
}

function isMessage({ role, parts }: JsonObject): boolean {
  return (
    role !== 'model' && !(parts as JsonObject[] | undefined)?.some((part) => part['functionResponse'] !== undefined)
  );
}

function cachedBody(body: JsonObject, { count }: Prefix): JsonObject {
  const settings = CACHED.flatMap((name): [string, Json][] => (body[name] === undefined ? [] : [[name, body[name]]]));
  return { ...Object.fromEntries(settings), ...(count > 0 && { contents: contentsIn(body).slice(0, count) }) };
}

function withCache(body: JsonObject, { name, prefix }: Cache): JsonObject {
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => !(CACHED as readonly string[]).includes(key)));
  return { ...rest, contents: contentsIn(body).slice(prefix.count), cachedContent: name } as JsonObject;
}

async function hashOf(value: unknown): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
