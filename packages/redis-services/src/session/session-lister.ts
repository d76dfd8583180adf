import type { ListSessionsRequest, SessionPage, SessionRef, StateMap } from '@thole/core';
import { fromAppMember } from '../client/redis-keys.ts';
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
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    const { calls, keys, runtime, outbox } = this.#context;
    const startedAt = runtime.monotonic();
    const { appName, userId, offset = 0, limit = '', order = 'asc' } = query;
    const user = userId === undefined ? undefined : { appName, userId };
    const { list, expiries } = user ? keys.user(user) : keys.app(appName);
    const reply = await calls.read({
      script: listPage,
      keys: [list, expiries, ...(user && outbox ? [keys.user(user).outbox] : [])],
      args: [offset, limit, order],
    });
    const [total, entries, members] = reply as [number, ScriptReply[], string[]];
    if (user) await outbox?.deliver(user, entries, startedAt);
    const refs = members.map((member): SessionRef =>
      user ? { ...user, sessionId: member } : { appName, ...fromAppMember(member) },
    );
    const app = await this.#readState(keys.app(appName).state);
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
    const { calls, keys, codec } = this.#context;
    const sessionKeys = refs.map((ref) => keys.session(ref)).flatMap(({ record, state }) => [record, state]);
    const call = { script: loadSummaries, keys: [keys.user(refs[0]!).state, ...sessionKeys] };
    const [userFields, ...replies] = (await calls.read(call)) as ScriptReply[];
    const user = await readStateFields(userFields!, codec);
    for (const [i, key] of refs.entries()) {
      const record = replies[i * 2] as string[];
      if (record.length === 0) continue;
      const sessionState = await readStateFields(replies[i * 2 + 1]!, codec);
      found.set(key, {
        ...readRecord(key, record, record[9]),
        state: sessionState.state,
        userState: user.state,
        userVersion: user.version,
        appState: app.state,
        appVersion: app.version,
      });
    }
  }

  async #readState(key: string): Promise<SharedState> {
    const { calls, codec } = this.#context;
    return readStateFields(await calls.read({ script: readHash, keys: [key] }), codec);
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
