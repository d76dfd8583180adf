import { checkUser, orAborted, sessionKeyOf, systemRuntime, userKeyOf } from '@thole/core';
import type { Call, UserRef } from '@thole/core';
import { codeOf } from '../keeping/code-of.ts';
import { askProfile } from './ask-profile.ts';
import { knownLines } from './known-lines.ts';
import type { KnownLines } from './known-lines.ts';
import { checkProfileOptions } from './profile-options.ts';
import type { ProfileOptions } from './profile-options.ts';

/** What is known about a user, in short. */
export interface Profile {
  /** The most important first; plain text, to be escaped where it is quoted. */
  lines: readonly string[];
  /** Whether the model ranked them, or the facts stand in for it. */
  madeBy: 'model' | 'facts';
}

/** Whose profile, and for which session. */
export interface ProfileRequest extends UserRef, Call {
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
const MOST = 1_000;

interface Kept {
  profile: Profile | undefined;
  /** Of what it was made, by id. */
  texts: ReadonlyMap<string, string>;
}

/** Profiles of users, made by one call of a model; by the facts themselves where the model fails. Held in this process alone. */
export function profile(options: ProfileOptions): Profiles {
  checkProfileOptions(options);
  const { llm, limit = 20, maxTokens = 6_000, timeoutMs = 15_000, runtime = systemRuntime() } = options;
  const made = new Map<string, { print: string; profile: Promise<Profile> }>();
  const sessions = new Map<string, Kept>();

  async function of(p: ProfileRequest): Promise<Profile | undefined> {
    checkUser(p);
    const user = { appName: p.appName, userId: p.userId };
    const { sessionId, incarnation = '' } = p;
    const sessionKey = sessionId === undefined ? undefined : `${sessionKeyOf({ ...user, sessionId })}${incarnation}`;
    const kept = sessionKey === undefined ? undefined : sessions.get(sessionKey);
    const known = await knownLines(user, { ...options, runtime, signal: p.signal });
    if (sessionKey !== undefined && kept && holds(kept, known)) {
      hold(sessions, sessionKey, kept);
      return kept.profile;
    }
    const found = isNothing(known) ? undefined : await orAborted(madeOf(user, known), p.signal);
    if (!found) made.delete(userKeyOf(user));
    if (sessionKey !== undefined) hold(sessions, sessionKey, { profile: found, texts: known.texts });
    return found;
  }

  // The call is everybody's who waits for it, so nobody's signal ends it; its time limit does.
  function madeOf(user: UserRef, known: KnownLines): Promise<Profile> {
    const key = userKeyOf(user);
    const print = JSON.stringify([known.facts, known.sources]);
    const before = made.get(key);
    if (before?.print === print) return before.profile;
    const making = askProfile(known, { llm, limit, maxTokens, timeoutMs, runtime }).then(
      (lines): Profile => ({ lines, madeBy: 'model' }),
      (error: unknown): Profile => {
        runtime.logger.warn('A profile could not be made by the model.', { ...user, code: codeOf(error) });
        // The next session asks again.
        if (made.get(key)?.print === print) made.delete(key);
        const lines = [...known.facts, ...known.sources.flatMap((source) => source.lines)];
        return { lines: lines.slice(0, limit), madeBy: 'facts' };
      },
    );
    hold(made, key, { print, profile: making });
    return making;
  }

  function forget(user: UserRef): void {
    checkUser(user);
    made.delete(userKeyOf(user));
    const start = `${userKeyOf(user).slice(0, -1)},`;
    for (const key of sessions.keys()) if (key.startsWith(start)) sessions.delete(key);
  }

  return { of, forget };
}

/** Whether all that it was made of is still there as it was. */
function holds({ texts }: Kept, known: KnownLines): boolean {
  return [...texts].every(([id, text]) => known.texts.get(id) === text);
}

function isNothing({ facts, sources }: KnownLines): boolean {
  return facts.length === 0 && sources.every(({ lines }) => lines.length === 0);
}

// Those that were not asked for longest leave first.
function hold<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value!);
}
