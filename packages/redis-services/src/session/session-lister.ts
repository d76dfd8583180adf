import type { ListSessionsRequest, Runtime, SessionPage, SessionRef, StateMap, TextCodec } from '@thole/core';
import type { RedisCalls } from '../client/redis-calls.ts';
import { fromAppMember } from '../client/redis-keys.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptReply } from '../client/script-call.ts';
import { readRecord } from './read-record.ts';
import { readStateFields } from './state-fields.ts';
import type { StoreContext } from './store-context.ts';

const listPage = redisScript('session/list-page');
const loadSummaries = redisScript('session/load-summaries');
const readHash = redisScript('client/read-hash');

/** Number of sessions that one script reads. */
const SESSIONS_PER_SCRIPT = 50;
/** Maximum number of concurrent scripts. */
const CONCURRENT_SCRIPTS = 32;

type Summary = SessionPage['sessions'][number];

interface SharedState {
  state: StateMap;
  version: number;
}

/** Lists sessions: reads one page of the ordered list, then the sessions on it, grouped by user. */
export class SessionLister {
  readonly #calls: RedisCalls;
  readonly #keys: RedisKeys;
  readonly #runtime: Runtime;
  readonly #codec: TextCodec | undefined;
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#calls = context.calls;
    this.#keys = context.keys;
    this.#runtime = context.runtime;
    this.#codec = context.codec;
    this.#context = context;
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    const startedAt = this.#runtime.monotonic();
    const { appName, userId, offset = 0, limit = '', order = 'asc' } = query;
    const { outbox } = this.#context;
    const user = userId === undefined ? undefined : { appName, userId };
    const { list, expiries } = user ? this.#keys.user(user) : this.#keys.app(appName);
    const keys = [list, expiries, ...(user && outbox ? [this.#keys.user(user).outbox] : [])];
    const reply = await this.#calls.read({ script: listPage, keys, args: [offset, limit, order] });
    const [total, entries, members] = reply as [number, ScriptReply[], string[]];
    if (user) await outbox?.deliver(user, entries, startedAt);
    const refs = members.map((member): SessionRef =>
      user ? { ...user, sessionId: member } : { appName, ...fromAppMember(member) },
    );
    const app = await this.#readState(this.#keys.app(appName).state);
    const found = new Map<SessionRef, Summary>();
    const chunks = toChunks(refs);
    const readChunks = async (): Promise<void> => {
      for (let chunk = chunks.pop(); chunk; chunk = chunks.pop()) await this.#readSummaries(chunk, app, found);
    };
    await Promise.all(Array.from({ length: CONCURRENT_SCRIPTS }, readChunks));
    // A session that was deleted between the two steps is left out.
    return { sessions: refs.flatMap((ref) => found.get(ref) ?? []), total: Number(total) };
  }

  async #readSummaries(refs: SessionRef[], app: SharedState, found: Map<SessionRef, Summary>): Promise<void> {
    const sessions = refs.map((ref) => this.#keys.session(ref));
    const keys = [this.#keys.user(refs[0]!).state, ...sessions.flatMap(({ record, state }) => [record, state])];
    const [userFields, ...replies] = (await this.#calls.read({ script: loadSummaries, keys })) as ScriptReply[];
    const user = await readStateFields(userFields!, this.#codec);
    for (const [i, key] of refs.entries()) {
      const record = replies[i * 2] as string[];
      if (record.length === 0) continue;
      const sessionState = await readStateFields(replies[i * 2 + 1]!, this.#codec);
      found.set(key, {
        ...readRecord(key, record, record[9]),
        state: sessionState.state,
        ...{ appState: app.state, appVersion: app.version, userState: user.state, userVersion: user.version },
      });
    }
  }

  async #readState(key: string): Promise<SharedState> {
    return readStateFields(await this.#calls.read({ script: readHash, keys: [key] }), this.#codec);
  }
}

/** Returns chunks of sessions of one user each. */
function toChunks(refs: readonly SessionRef[]): SessionRef[][] {
  const byUser = Map.groupBy(refs, ({ userId }) => userId);
  return [...byUser.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / SESSIONS_PER_SCRIPT) }, (_, i) =>
      all.slice(i * SESSIONS_PER_SCRIPT, (i + 1) * SESSIONS_PER_SCRIPT),
    ),
  );
}
