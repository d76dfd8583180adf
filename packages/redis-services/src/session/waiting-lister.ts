import {
  formatWaitingCursor,
  isWaiting,
  parseWaitingCursor,
  userKeyOf,
  WAITING_PAGE,
  waitingTime,
} from '@thole/core/kit';
import type { SessionRef, UserRef, WaitingPage, WaitingRequest, WaitingSession } from '@thole/core';
import { fromAppMember } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptArgument, ScriptReply } from '../client/script-call.ts';
import { readRecord } from './read-record.ts';
import { waitingFields } from './session-marks.ts';
import type { StoreContext } from './store-context.ts';

const listAppLeases = redisScript('lease/list-app-leases');
const loadRecords = redisScript('session/load-records');
const readWaitingOfUser = redisScript('session/read-waiting-of-user');
const readWaitingPage = redisScript('session/read-page-by-time');

/** Lists waiting sessions: from a sorted set of the app, or from the set of a user. */
export class WaitingLister {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  list(request: WaitingRequest): Promise<WaitingPage> {
    const { appName, userId } = request;
    return userId === undefined ? this.#listOfApp(request) : this.#listOfUser({ appName, userId }, request);
  }

  async #listOfApp(request: WaitingRequest): Promise<WaitingPage> {
    const { calls, keys } = this.#context;
    const { appName, kind } = request;
    if (request.after === undefined) await this.#applyOutboxes(appName);
    const call = { script: readWaitingPage, keys: [keys.app(appName).waiting(kind)], args: pageArguments(request) };
    const [more, members] = (await calls.read(call)) as [number, string[]];
    const refs = members.filter((_, i) => i % 2 === 0).map((member) => ({ appName, ...fromAppMember(member) }));
    const found = await this.#readRecords(refs);
    // A session that has changed since the list was read, or whose change the list does not have yet (Cluster), is left out.
    const sessions = found.filter((each) => each && isWaiting(each.marks, kind)) as WaitingSession[];
    const [id, time] = members.slice(-2);
    return { sessions, ...(Number(more) === 1 && { next: formatWaitingCursor({ time: Number(time), id: id! }) }) };
  }

  /**
   * On Cluster: applies the outbox entries of dead processes. The lease of a run is listed before its first event is stored, so only users
   * with leases can have such entries.
   */
  async #applyOutboxes(appName: string): Promise<void> {
    const { calls, keys, outbox } = this.#context;
    if (!outbox) return;
    const leases = (await calls.read({ script: listAppLeases, keys: [keys.app(appName).leases] })) as string[];
    const userIds = new Set(leases.map((member) => (JSON.parse(member) as [string, string, string])[0]));
    await Promise.all([...userIds].map((userId) => outbox.deliverPending({ appName, userId })));
  }

  async #listOfUser(user: UserRef, request: WaitingRequest): Promise<WaitingPage> {
    const { calls, keys } = this.#context;
    const { mark, time } = waitingFields[request.kind];
    const reply = (await calls.read({
      script: readWaitingOfUser,
      keys: [keys.user(user).waiting],
      args: [mark, time, ...pageArguments(request)],
    })) as ScriptReply[];
    const sessions: WaitingSession[] = [];
    for (let i = 1; i < reply.length; i += 3) {
      sessions.push(toWaitingSession({ ...user, sessionId: reply[i] as string }, reply[i + 2] as string[]));
    }
    const last = sessions.at(-1);
    if (Number(reply[0]) === 0 || !last) return { sessions };
    return {
      sessions,
      next: formatWaitingCursor({ time: waitingTime(last, request.kind), id: reply.at(-2) as string }),
    };
  }

  /** Reads the records, in the order of the list. Undefined for a session that does not exist. */
  async #readRecords(refs: readonly SessionRef[]): Promise<(WaitingSession | undefined)[]> {
    const { calls, keys, outbox } = this.#context;
    // On Cluster one script can read the records of one user.
    const groups = outbox ? [...Map.groupBy(refs, userKeyOf).values()] : [refs];
    const found = new Map<SessionRef, WaitingSession>();
    const readGroup = async (group: readonly SessionRef[]): Promise<void> => {
      const records = await calls.read({ script: loadRecords, keys: group.map((ref) => keys.session(ref).record) });
      for (const [i, record] of (records as string[][]).entries()) {
        if (record.length > 0) found.set(group[i]!, toWaitingSession(group[i]!, record));
      }
    };
    await Promise.all(groups.filter(({ length }) => length > 0).map(readGroup));
    return refs.map((ref) => found.get(ref));
  }
}

function pageArguments({ kind, before, limit = WAITING_PAGE, after }: WaitingRequest): ScriptArgument[] {
  const { time = '', id = '' } = after === undefined ? {} : parseWaitingCursor(after);
  return [String(before ?? (kind === 'due' ? 'now' : '+inf')), limit, String(time), id];
}

function toWaitingSession(ref: SessionRef, fields: readonly string[]): WaitingSession {
  const { key, incarnation, lastSeq, lastUpdateTime, marks } = readRecord(ref, fields);
  return { key, incarnation, lastSeq, lastUpdateTime, marks };
}
