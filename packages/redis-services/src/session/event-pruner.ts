import { TholeError } from '@thole/core';
import {
  applyDelta,
  assertCount,
  assertSeconds,
  assertName,
  countPrunableEvents,
  decodeText,
  encodeText,
  foldStateDeltas,
  invalidInput,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { Event, SessionRef, TextCodec } from '@thole/core';
import { fromAppMember } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';
import { RedisEventReader } from './redis-event-reader.ts';
import { readMarks } from './session-marks.ts';
import { parseState } from './state-fields.ts';
import type { StoreContext } from './store-context.ts';

const pruneEvents = redisScript('session/prune-events');
const readPrunable = redisScript('session/read-prunable');
const readPage = redisScript('session/read-page-by-time');

/** Number of sessions that are listed at a time. */
const PAGE = 500;
/** Maximum number of events that one step reads or deletes. */
const EVENTS_PER_STEP = 1000;
/** Reply of a script that has deleted nothing, because the session has changed since it was read. */
const CHANGED = -1;

/**
 * Selects the events to delete: of an app, of a user or of a session. Requires `olderThan`, `keepLast` or both. Events are deleted from
 * the oldest on, up to the first one that remains. Events of an invocation that waits remain, and all later events. State, `lastSeq` and
 * the `seq` of the other events do not change. `initialState` becomes the state before the first event that remains.
 */
export interface PruneRequest {
  appName: string;
  userId?: string | undefined;
  /** Requires `userId`. */
  sessionId?: string | undefined;
  /** Selects only events before this time, in seconds since the epoch. */
  olderThan?: number | undefined;
  /** Number of events at the end of each session that remain. Default: 0. */
  keepLast?: number | undefined;
}

const pruneRequestNames = optionNames<PruneRequest>({
  appName: true,
  userId: true,
  sessionId: true,
  olderThan: true,
  keepLast: true,
});

/** Deletes old events in small steps, so that other calls do not wait long. */
export class EventPruner {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Returns the number of deleted events. Throws `INVALID_INPUT` for a request without a limit. */
  async prune(request: PruneRequest): Promise<number> {
    assertPruneRequest(request);
    const { appName, userId, sessionId } = request;
    if (userId !== undefined && sessionId !== undefined) {
      return this.#pruneSession({ appName, userId, sessionId }, request);
    }
    let deleted = 0;
    for await (const key of this.#scan(appName, userId)) deleted += await this.#pruneSession(key, request);
    return deleted;
  }

  /**
   * Yields the sessions of an app or a user in the order of their last update. Each page begins after the last session of the previous
   * one. So a session that moves to the end of the list, because it gets an event, is only yielded later. Each session is yielded once:
   * otherwise sessions that get events all the time would keep it running.
   */
  async *#scan(appName: string, userId: string | undefined): AsyncIterable<SessionRef> {
    const { calls, keys } = this.#context;
    const { list } = userId === undefined ? keys.app(appName) : keys.user({ appName, userId });
    const seen = new Set<string>();
    for (let [time, last, more] = ['', '', true]; more;) {
      const reply = await calls.read({ script: readPage, keys: [list], args: ['+inf', PAGE, time, last] });
      const [hasMore, entries] = reply as [number, string[]];
      for (let i = 0; i < entries.length; i += 2) {
        const member = entries[i]!;
        if (seen.has(member)) continue;
        seen.add(member);
        yield userId === undefined ? { appName, ...fromAppMember(member) } : { appName, userId, sessionId: member };
      }
      more = Number(hasMore) === 1;
      [last = '', time = ''] = entries.slice(-2).map(String);
    }
  }

  async #pruneSession(key: SessionRef, request: PruneRequest): Promise<number> {
    let deleted = 0;
    for (let known: readonly Event[] = [], incarnation: string | undefined; ;) {
      const head = await this.#readHead(key, request);
      if (!head) return deleted;
      if (head.incarnation !== incarnation) known = [];
      incarnation = head.incarnation;
      const events = await this.#readEvents(key, head, known);
      const count = countOldest(events, head, request);
      // The session was replaced or pruned while its events were read. Reads it again.
      if (events.length < head.lastSeq - head.pruned) continue;
      if (count === 0) return deleted;
      const result = await this.#delete(key, head, events.slice(0, count));
      if (result !== CHANGED) deleted += result;
      known = events;
    }
  }

  /** Returns the head of a session. Undefined if the request selects none of its events. */
  async #readHead(key: SessionRef, { olderThan, keepLast = 0 }: PruneRequest): Promise<Head | undefined> {
    const { calls, keys } = this.#context;
    const { record, events } = keys.session(key);
    const args = [String(olderThan ?? ''), keepLast];
    const reply = (await calls.read({ script: readPrunable, keys: [record, events], args })) as string[];
    if (reply.length === 0) return undefined;
    const [incarnation, lastSeq, pruned, initialState, ...marks] = reply.map(String);
    return {
      incarnation: incarnation!,
      lastSeq: Number(lastSeq),
      pruned: Number(pruned),
      initialState: initialState!,
      marks,
    };
  }

  /**
   * Returns all stored events, or a part of them if the session changes meanwhile. `known` are events that were read before. The marks
   * and rewinds that decide what remains can be anywhere after the events to delete.
   */
  async #readEvents(
    key: SessionRef,
    { incarnation, pruned, lastSeq }: Head,
    known: readonly Event[],
  ): Promise<Event[]> {
    const reader = new RedisEventReader(this.#context);
    const events = known.filter(({ seq }) => seq! > pruned);
    for (let seq = events.at(-1)?.seq ?? pruned; seq < lastSeq; seq = events.at(-1)!.seq!) {
      const found = await reader.readAfter(key, seq, EVENTS_PER_STEP);
      if (found?.incarnation !== incarnation || found.events[0]?.seq !== seq + 1) break;
      events.push(...found.events);
    }
    return events;
  }

  /** Returns the number of deleted events, or `CHANGED`. */
  async #delete(key: SessionRef, head: Head, events: readonly Event[]): Promise<number> {
    const { calls, keys, codec } = this.#context;
    const { record, events: list } = keys.session(key);
    const initialState = await foldState(head.initialState, events, codec);
    const { incarnation, lastSeq, pruned, marks } = head;
    const args = [events.length, initialState, incarnation, String(lastSeq), String(pruned), ...marks];
    return Number(await calls.write({ script: pruneEvents, keys: [record, list], args }));
  }
}

/** A session when its events are read: the script deletes only if nothing has changed since then. */
interface Head {
  incarnation: string;
  lastSeq: number;
  /** Number of events that were deleted before. */
  pruned: number;
  /** Stored text. */
  initialState: string;
  /** Stored values of the marks, '' for none. */
  marks: readonly string[];
}

/** Returns how many of the oldest events one step deletes. */
function countOldest(
  events: readonly Event[],
  head: Head,
  { olderThan = Infinity, keepLast = 0 }: PruneRequest,
): number {
  const firstKept = events.findIndex(({ timestamp }) => timestamp >= olderThan);
  const selected = Math.min(firstKept === -1 ? Infinity : firstKept, head.lastSeq - head.pruned - keepLast);
  const [unfinished, wakeAt, openInterrupts] = head.marks.map((mark) => (mark === '' ? null : mark));
  const marks = readMarks(unfinished, wakeAt, openInterrupts);
  // A rewind and the events that it removes are deleted in one step, also if there are more of them.
  return (
    countPrunableEvents(events, { count: Math.min(selected, EVENTS_PER_STEP), marks }) ||
    countPrunableEvents(events, { count: selected, marks })
  );
}

/** Returns the initial state after the changes of these events as stored text, or '' if they do not change it. */
async function foldState(stored: string, events: readonly Event[], codec: TextCodec | undefined): Promise<string> {
  const delta = foldStateDeltas(events);
  if (Object.keys(delta).length === 0) return '';
  const state = parseState(await decodeText(codec, stored));
  applyDelta(state, delta);
  const text = JSON.stringify(state);
  return codec ? encodeText(codec, text) : text;
}

function assertPruneRequest(request: PruneRequest): void {
  rejectUnknownOptions(request, pruneRequestNames, 'pruneEvents');
  const { appName, userId, sessionId, olderThan, keepLast } = request;
  assertName('appName', appName);
  if (userId !== undefined) assertName('userId', userId);
  if (sessionId !== undefined) assertName('sessionId', sessionId);
  if (sessionId !== undefined && userId === undefined) throw invalidInput('userId', 'a string', userId);
  if (olderThan !== undefined) assertSeconds('olderThan', olderThan);
  if (keepLast !== undefined) assertCount('keepLast', keepLast);
  if (olderThan === undefined && keepLast === undefined) {
    throw new TholeError('INVALID_INPUT', 'pruneEvents requires olderThan or keepLast.');
  }
}
