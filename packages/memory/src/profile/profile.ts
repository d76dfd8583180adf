import { systemRuntime } from '@thole/core';
import { assertUser, raceAbort, sessionKeyOf, userKeyOf } from '@thole/core/kit';
import type { CallOptions, UserRef } from '@thole/core';
import { errorCodeOf } from '../error-code.ts';
import { askProfile } from './ask-profile.ts';
import { knownLines, knownTexts } from './known-lines.ts';
import type { KnownLines } from './known-lines.ts';
import { assertProfileOptions } from './profile-options.ts';
import type { ProfileOptions } from './profile-options.ts';

/** What is known about a user, in short. */
export interface Profile {
  /** The most important first; plain text, to be escaped where it is quoted. */
  lines: readonly string[];
  /** Whether the model ranked them, or the facts stand in for it. */
  madeBy: 'model' | 'facts';
}

/** Whose profile, and for which session. */
export interface ProfileRequest extends UserRef, CallOptions {
  /** Without one the profile is that of now. */
  sessionId?: string | undefined;
  /** What tells the session from an older one of the same id: its incarnation, or the id of its first event. */
  incarnation?: string | undefined;
}

/** Makes profiles and keeps them. */
export interface Profiles {
  /**
   * The user's profile; undefined when nothing is known. In a session it stays as it was at its start, so that prompts begin
   * alike, unless something of what it was made of has been forgotten or corrected since. The model is asked once for each state of the memory.
   */
  of(p: ProfileRequest): Promise<Profile | undefined>;
  /** Lets go of what is kept of a user. What is forgotten or corrected in memory is noticed without it. */
  forget(user: UserRef): void;
}

/** How many profiles of users and of sessions are held. */
const MAX_CACHED_PROFILES = 1_000;

/** The latest of a user. */
interface CachedProfile {
  /** Of what it was made. */
  print: string;
  profile: Promise<Profile>;
  isReady: boolean;
}

interface Found {
  profile: Profile;
  /** Whether it is of what was read, and not of what stood there before somebody thought about it. */
  wasThere: boolean;
}

interface SessionProfile {
  profile: Profile | undefined;
  /** Of what it was made, by id. */
  texts: ReadonlyMap<string, string>;
}

/** Profiles of users, made by one call of a model; by the facts themselves where the model fails. Held in this process alone. */
export function profile(options: ProfileOptions): Profiles {
  assertProfileOptions(options);
  const { llm, limit = 20, maxTokens = 6_000, timeoutMs = 15_000, runtime = systemRuntime() } = options;
  const made = new Map<string, CachedProfile>();
  const sessions = new Map<string, SessionProfile>();

  async function of(p: ProfileRequest): Promise<Profile | undefined> {
    assertUser(p);
    const user = { appName: p.appName, userId: p.userId };
    const { sessionId, incarnation = '' } = p;
    const sessionKey = sessionId === undefined ? undefined : `${sessionKeyOf({ ...user, sessionId })}${incarnation}`;
    const kept = sessionKey === undefined ? undefined : sessions.get(sessionKey);
    const read = (): Promise<KnownLines> => knownLines(user, { ...options, runtime, signal: p.signal });
    let known = await read();
    if (sessionKey !== undefined && kept && holds(kept.texts, known.texts)) {
      hold(sessions, sessionKey, kept);
      return kept.profile;
    }
    let found = await madeFrom(user, known, p.signal);
    // What was forgotten while the model thought is in no profile; after the third time nobody waits for it any more.
    for (let attempt = 1; found && !found.wasThere; attempt++) {
      if (holds(known.texts, await knownTexts(user, { ...options, signal: p.signal }))) break;
      made.delete(userKeyOf(user));
      known = await read();
      found = attempt < 3 ? await madeFrom(user, known, p.signal) : undefined;
      if (attempt === 3 && !isNothing(known)) found = { profile: standIn(known), wasThere: true };
    }
    if (!found) made.delete(userKeyOf(user));
    if (sessionKey !== undefined) hold(sessions, sessionKey, { profile: found?.profile, texts: known.texts });
    return found?.profile;
  }

  /** The profile of what is known, if anything is, and whether it was there before. */
  async function madeFrom(
    user: UserRef,
    known: KnownLines,
    signal: AbortSignal | undefined,
  ): Promise<Found | undefined> {
    if (isNothing(known)) return undefined;
    const before = made.get(userKeyOf(user));
    const wasThere = before?.isReady === true && before.print === printOf(known);
    return { profile: await raceAbort(madeOf(user, known), signal), wasThere };
  }

  // The call is everybody's who waits for it, so nobody's signal ends it; its time limit does.
  function madeOf(user: UserRef, known: KnownLines): Promise<Profile> {
    const key = userKeyOf(user);
    const print = printOf(known);
    const before = made.get(key);
    if (before?.print === print) return before.profile;
    const making = askProfile(known, { llm, limit, maxTokens, timeoutMs, runtime }).then(
      (lines): Profile => ({ lines, madeBy: 'model' }),
      (error: unknown): Profile => {
        runtime.logger.warn('A profile could not be made by the model.', { ...user, code: errorCodeOf(error) });
        // The next session asks again.
        if (made.get(key)?.profile === making) made.delete(key);
        return standIn(known);
      },
    );
    const entry: CachedProfile = { print, profile: making, isReady: false };
    void making.then(() => (entry.isReady = true));
    hold(made, key, entry);
    return making;
  }

  function standIn(known: KnownLines): Profile {
    const lines = [...known.facts, ...known.sources.flatMap((source) => source.lines)];
    return { lines: lines.slice(0, limit), madeBy: 'facts' };
  }

  function forget(user: UserRef): void {
    assertUser(user);
    made.delete(userKeyOf(user));
    const start = `${userKeyOf(user).slice(0, -1)},`;
    for (const key of sessions.keys()) if (key.startsWith(start)) sessions.delete(key);
  }

  return { of, forget };
}

function printOf({ facts, sources }: KnownLines): string {
  return JSON.stringify([facts, sources]);
}

/** Whether all of what something was made of is still there as it was. */
function holds(madeOf: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): boolean {
  return [...madeOf].every(([id, text]) => now.get(id) === text);
}

function isNothing({ facts, sources }: KnownLines): boolean {
  return facts.length === 0 && sources.every(({ lines }) => lines.length === 0);
}

// Those that were not asked for longest leave first.
function hold<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_CACHED_PROFILES) map.delete(map.keys().next().value!);
}
