import type { ListSessionsRequest, Runtime, SessionPage, SessionRef, StateMap, TextCodec } from '@thole/core';
import { readRecord } from './read-record.ts';
import type { ScriptReply } from '../client/pending-call.ts';
import type { RedisCalls } from '../client/redis-calls.ts';
import { fromAppMember } from '../client/redis-keys.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import { listPage } from '../scripts/list-page.lua.ts';
import { loadSummaries } from '../scripts/load-summaries.lua.ts';
import { readHash } from '../scripts/read-hash.lua.ts';
import { readStateFields } from './state-fields.ts';
import type { StoreContext } from './store-context.ts';

type Summary = SessionPage['sessions'][number];

/** How many sessions one script reads, and how many scripts are under way at a time. */
const [CHUNK, AT_ONCE] = [50, 32];

/** Lists sessions: Redis keeps the order and cuts the page, then the page's sessions are read, a user's together. */
export class SessionLister {
  readonly #calls: RedisCalls;
  readonly #keys: RedisKeys;
  readonly #runtime: Runtime;
  readonly #codec: TextCodec | undefined;
  readonly #parts: StoreContext;

  constructor(p: StoreContext) {
    this.#calls = p.calls;
    this.#keys = p.keys;
    this.#runtime = p.runtime;
    this.#codec = p.codec;
    this.#parts = p;
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    const began = this.#runtime.monotonic();
    const { appName, userId, offset = 0, limit = '', order = 'asc' } = query;
    const user = userId === undefined ? undefined : { appName, userId };
    const places = user ? this.#keys.user(user) : this.#keys.app(appName);
    const keys = [places.list, places.expiries, ...(user && this.#parts.outbox ? [this.#keys.user(user).outbox] : [])];
    const answer = await this.#calls.read({ script: listPage, keys, args: [offset, limit, order] });
    const [total, pending, members] = answer as [number, ScriptReply[], string[]];
    if (user) await this.#parts.outbox?.deliver(user, pending, began);
    const refs = members.map((member): SessionRef =>
      user ? { ...user, sessionId: member } : { appName, ...fromAppMember(member) },
    );
    const app = await this.#state(this.#keys.app(appName).state);
    const found = new Map<SessionRef, Summary>();
    const chunks = chunksOf(refs);
    const next = async (): Promise<void> => {
      for (let chunk = chunks.pop(); chunk; chunk = chunks.pop()) await this.#read(chunk, app, found);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    // One that went between the two steps is left out.
    return { sessions: refs.flatMap((ref) => found.get(ref) ?? []), total: Number(total) };
  }

  async #read(refs: SessionRef[], app: Shared, found: Map<SessionRef, Summary>): Promise<void> {
    const each = refs.map((ref) => this.#keys.session(ref));
    const keys = [this.#keys.user(refs[0]!).state, ...each.flatMap(({ record, state }) => [record, state])];
    const [users, ...answers] = (await this.#calls.read({ script: loadSummaries, keys })) as ScriptReply[];
    const user = await readStateFields(users!, this.#codec);
    for (const [i, key] of refs.entries()) {
      const record = answers[i * 2] as string[];
      if (record.length === 0) continue;
      const own = await readStateFields(answers[i * 2 + 1]!, this.#codec);
      found.set(key, {
        ...readRecord(key, record),
        state: own.state,
        ...{ appState: app.state, appVersion: app.version, userState: user.state, userVersion: user.version },
      });
    }
  }

  async #state(key: string): Promise<Shared> {
    return readStateFields(await this.#calls.read({ script: readHash, keys: [key] }), this.#codec);
  }
}

interface Shared {
  state: StateMap;
  version: number;
}

function chunksOf(refs: readonly SessionRef[]): SessionRef[][] {
  const ofUser = Map.groupBy(refs, ({ userId }) => userId);
  return [...ofUser.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, i) => all.slice(i * CHUNK, (i + 1) * CHUNK)),
  );
}
