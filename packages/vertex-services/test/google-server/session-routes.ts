import { invalid, missing } from './google-failure.ts';
import type { GoogleAnswer, GoogleRequest, Routes } from './google-server.ts';
import {
  checkContent,
  checkStruct,
  checkText,
  checkTime,
  onlyMembers,
  pageOf,
  sortedStruct,
} from './message-checks.ts';
import type { Operations } from './operations.ts';

/** An event as the service stores it. */
export interface ServerEvent {
  name: string;
  author: string;
  timestamp: string;
  content?: { role?: string; parts?: { text?: string }[] };
  [member: string]: unknown;
}

interface ServerSession {
  name: string;
  userId: string;
  createTime: string;
  updateTime: string;
  state: { [key: string]: unknown };
  events: ServerEvent[];
}

interface Engine {
  sessions: Map<string, ServerSession>;
  appState: { [key: string]: unknown };
  userStates: Map<string, { [key: string]: unknown }>;
}

const PATH =
  /^\/v1beta1\/(projects\/[^/]+\/locations\/[^/]+\/reasoningEngines\/([^/]+))\/sessions(?:\/([^/:]+))?(?:(:appendEvent)|(\/events))?$/;

/** Routes of the sessions of Agent Engine. */
export class SessionRoutes implements Routes {
  /** Engine ids that do not exist. */
  readonly missingEngines: Set<string> = new Set<string>();
  readonly #operations: Operations;
  readonly #engines = new Map<string, Engine>();
  #count = 0;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  /** The events of a session, for Memory Bank and for tests. */
  eventsOf(name: string): ServerEvent[] {
    const [, engine = '', id = ''] = /reasoningEngines\/([^/]+)\/sessions\/([^/]+)$/.exec(name) ?? [];
    return this.#engines.get(engine)?.sessions.get(id)?.events ?? [];
  }

  /** The ids of all sessions of an engine. */
  idsOf(engine: string): string[] {
    return [...(this.#engines.get(engine)?.sessions.keys() ?? [])];
  }

  answer(request: GoogleRequest): GoogleAnswer | undefined {
    const match = PATH.exec(request.path);
    if (!match) return undefined;
    const [, parent = '', engineId = '', id, appends, lists] = match;
    if (this.missingEngines.has(engineId)) throw missing(`The ReasoningEngine ${parent}`);
    const engine = this.#engineOf(engineId);
    const { method } = request;
    if (id === undefined) {
      if (method === 'POST') return this.#create(request, engine, parent);
      if (method === 'GET') return this.#list(request, engine);
      return undefined;
    }
    if (!/^[A-Za-z0-9-]{1,63}$/.test(id)) throw invalid('Invalid Session name.');
    const session = engine.sessions.get(id);
    if (!session) throw missing(`The Session ${parent}/sessions/${id}`);
    if (appends) return method === 'POST' ? this.#append(request, engine, session) : undefined;
    if (lists) return method === 'GET' ? listEvents(request, session) : undefined;
    if (method === 'GET') return { json: toAnswer(session, engine) };
    if (method !== 'DELETE') return undefined;
    engine.sessions.delete(id);
    return this.#operations.start(session.name);
  }

  #create({ json, query }: GoogleRequest, engine: Engine, parent: string): GoogleAnswer {
    onlyMembers(json, ['userId', 'sessionState', 'displayName', 'ttl', 'expireTime', 'labels'], 'session');
    const { userId, sessionState = {} } = json as { userId?: string; sessionState?: { [key: string]: unknown } };
    if (typeof userId !== 'string' || userId === '') throw invalid('user_id is required.');
    checkText(userId, 'session.user_id');
    checkStruct(sessionState, 'session.session_state');
    const id = query.get('sessionId') ?? `${4_000_000_000 + ++this.#count}`;
    if (!/^[A-Za-z0-9-]{1,63}$/.test(id)) throw invalid('session_id must be 1 to 63 characters of [a-z0-9-].');
    if (engine.sessions.has(id)) throw invalid(`Session with id ${id} already exists.`);
    const now = this.#now();
    const name = `${parent}/sessions/${id}`;
    const session: ServerSession = { name, userId, createTime: now, updateTime: now, state: {}, events: [] };
    engine.sessions.set(id, session);
    applyState(sessionState, session, engine);
    // Like the service, returns no state of the user and the app.
    return this.#operations.start(name, { ...toAnswer(session, engine), sessionState: sortedStruct(session.state) });
  }

  #list({ query }: GoogleRequest, engine: Engine): GoogleAnswer {
    const filter = query.get('filter');
    const match = filter === null ? undefined : /^user_id="((?:[^"\\]|\\.)*)"$/s.exec(filter);
    if (match === null) throw invalid('Invalid filter.');
    const userId = match?.[1]!.replaceAll(/\\(.)/gs, '$1');
    const found = [...engine.sessions.values()].filter((each) => userId === undefined || each.userId === userId);
    const { page, ...next } = pageOf(found.reverse(), query);
    return { json: { ...(page.length > 0 && { sessions: page.map((each) => toAnswer(each, engine)) }), ...next } };
  }

  #append({ json }: GoogleRequest, engine: Engine, session: ServerSession): GoogleAnswer {
    const members = ['name', 'author', 'content', 'invocationId', 'actions', 'timestamp', 'errorCode', 'errorMessage'];
    onlyMembers(json, [...members, 'eventMetadata', 'rawEvent'], 'event');
    const { author, invocationId, content, actions, eventMetadata, rawEvent } = json as { [name: string]: never };
    for (const [name, value] of Object.entries({ author, invocationId }))
      if (typeof value !== 'string' || value === '') throw invalid(`event.${name} is required.`);
    const timestamp = checkTime(json['timestamp'], 'event.timestamp');
    checkContent(content, 'event.content');
    const actionNames = [
      'skipSummarization',
      'stateDelta',
      'artifactDelta',
      'transferAgent',
      'escalate',
      'requestedAuthConfigs',
    ];
    onlyMembers(actions, actionNames, 'event.actions');
    const metadataNames = ['partial', 'turnComplete', 'interrupted', 'longRunningToolIds', 'branch', 'customMetadata'];
    onlyMembers(
      eventMetadata,
      [...metadataNames, 'groundingMetadata', 'inputTranscription', 'outputTranscription'],
      'event.event_metadata',
    );
    for (const struct of [actions, eventMetadata, rawEvent]) checkStruct(struct, 'event');
    const name = `${session.name}/events/${String(++this.#count).padStart(19, '7')}`;
    session.events.push({ ...(sortedStruct(json) as ServerEvent), name, timestamp });
    applyState((actions as { stateDelta?: { [key: string]: unknown } } | undefined)?.stateDelta ?? {}, session, engine);
    session.updateTime = this.#now();
    return { json: {} };
  }

  #engineOf(id: string): Engine {
    const engine = this.#engines.get(id) ?? { sessions: new Map(), appState: {}, userStates: new Map() };
    this.#engines.set(id, engine);
    return engine;
  }

  /** Returns a time that it has not returned before. */
  #now(): string {
    const nanos = String(++this.#count % 1_000_000).padStart(6, '0');
    return new Date().toISOString().replace('Z', `${nanos}Z`);
  }
}

function listEvents({ query }: GoogleRequest, session: ServerSession): GoogleAnswer {
  const filter = query.get('filter');
  const match = filter === null ? undefined : /^timestamp>="([^"]+)"$/.exec(filter);
  if (match === null) throw invalid('Invalid filter.');
  const since = match && checkTime(match[1], 'filter');
  // Events of the same time have no defined order. The newest comes first, so that no client relies on the order of writes.
  const events = session.events
    .toReversed()
    .filter(({ timestamp }) => since === undefined || timestamp >= since)
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
  const { page, ...next } = pageOf(events, query);
  return { json: { ...(page.length > 0 && { sessionEvents: page }), ...next } };
}

// Null stays in the state, because it is not documented whether the service deletes such keys.
function applyState(delta: { [key: string]: unknown }, session: ServerSession, engine: Engine): void {
  for (const [key, value] of Object.entries(delta)) {
    const users = engine.userStates.get(session.userId) ?? {};
    engine.userStates.set(session.userId, users);
    const target = key.startsWith('app:') ? engine.appState : key.startsWith('user:') ? users : session.state;
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  }
}

function toAnswer(session: ServerSession, engine: Engine): object {
  const { state: _, events: __, ...rest } = session;
  const all = [engine.appState, engine.userStates.get(session.userId) ?? {}, session.state];
  const entries = all.flatMap((each) => Object.entries(each));
  // Answers name the project by its number.
  const name = session.name.replace(/^projects\/[^/]+/, 'projects/123456789');
  return { ...rest, name, sessionState: sortedStruct(Object.fromEntries(entries)) };
}
