import { systemRuntime } from '@thole/core';
import { assertUser, errorCodeOf, putCached, raceAbort, sessionKeyOf, userKeyOf } from '@thole/core/kit';
import type { CallOptions, UserRef } from '@thole/core';
import { writeProfile } from './write-profile.ts';
import { readKnownLines, readKnownTexts } from './read-known-lines.ts';
import type { KnownLines } from './read-known-lines.ts';
import { assertProfileOptions } from './profile-options.ts';
import type { ProfileOptions } from './profile-options.ts';

/** The most important lines about a user. */
export interface Profile {
  /** Most important first. Plain text, which must be escaped in prompts. */
  lines: readonly string[];
  /** `model` if the model wrote the lines; `facts` if the facts are used unchanged, because the model failed. */
  madeBy: 'model' | 'facts';
}

/** A request for a user's profile. */
export interface ProfileRequest extends UserRef, CallOptions {
  /** The session whose profile is returned. Default: none; then the profile is always up to date. */
  sessionId?: string | undefined;
  /** Distinguishes the session from an older one with the same id: its incarnation, or the id of its first event. */
  incarnation?: string | undefined;
}

/** Creates and caches profiles. */
export interface Profiles {
  /**
   * Returns the user's profile, or undefined if nothing is known. It stays the same during a session, so that providers can cache prompts.
   * It only changes if one of its entries was deleted or corrected. The model is called once per state of the memory.
   */
  of(p: ProfileRequest): Promise<Profile | undefined>;
  /** Deletes the cached profiles of a user. Not needed after deletions and corrections in memory: they are detected. */
  forget(user: UserRef): void;
}

/** Maximum number of cached profiles of users, and of sessions. */
const MAX_CACHED_PROFILES = 1_000;
/** Number of attempts to create a profile while entries are being deleted. */
const MAX_ATTEMPTS = 3;

/** The latest profile of a user. */
interface CachedProfile {
  /** Identifies the known lines from which it was created. */
  fingerprint: string;
  profile: Promise<Profile>;
  isReady: boolean;
}

/** The profile of a session. */
interface SessionProfile {
  profile: Profile | undefined;
  /** The texts from which it was created, by entry id. */
  texts: ReadonlyMap<string, string>;
}

/** Creates profiles of users, each with one call of a model, or from facts if the model fails. Caches them in this process. */
export function profile(options: ProfileOptions): Profiles {
  assertProfileOptions(options);
  const { llm, limit = 20, maxTokens = 6_000, timeoutMs = 15_000, runtime = systemRuntime() } = options;
  const users = new Map<string, CachedProfile>();
  const sessions = new Map<string, SessionProfile>();

  async function getProfile(p: ProfileRequest): Promise<Profile | undefined> {
    assertUser(p);
    const { appName, userId, sessionId, incarnation = '', signal } = p;
    const user = { appName, userId };
    const known = await readKnownLines(user, { ...options, runtime, signal });
    if (sessionId === undefined) return (await currentProfile(user, known, signal)).profile;
    const key = `${sessionKeyOf({ ...user, sessionId })}${incarnation}`;
    const earlier = sessions.get(key);
    const isValid = earlier !== undefined && isUnchanged(earlier.texts, known.texts);
    const result = isValid ? earlier : await currentProfile(user, known, signal);
    putCached(sessions, key, result, MAX_CACHED_PROFILES);
    return result.profile;
  }

  /**
   * Returns the profile of the known lines. Entries that are deleted while the model is working must not be in the profile: then the
   * lines are read again. After the last attempt the facts are used.
   */
  async function currentProfile(user: UserRef, first: KnownLines, signal?: AbortSignal): Promise<SessionProfile> {
    let known = first;
    for (let attempt = 1; !isEmpty(known); attempt++) {
      const { texts } = known;
      if (attempt > MAX_ATTEMPTS) return { profile: profileOfFacts(known), texts };
      const cached = users.get(userKeyOf(user));
      // A profile that was ready before the lines were read contains no entry that was deleted in between.
      const wasReady = cached?.isReady === true && cached.fingerprint === fingerprintOf(known);
      const found = await raceAbort(createProfile(user, known), signal);
      if (wasReady || isUnchanged(texts, await readKnownTexts(user, { ...options, signal })))
        return { profile: found, texts };
      users.delete(userKeyOf(user));
      known = await readKnownLines(user, { ...options, runtime, signal });
    }
    users.delete(userKeyOf(user));
    return { profile: undefined, texts: known.texts };
  }

  /** Callers share the model's call, so a caller's signal does not end it. Its time limit ends it. */
  function createProfile(user: UserRef, known: KnownLines): Promise<Profile> {
    const key = userKeyOf(user);
    const fingerprint = fingerprintOf(known);
    const cached = users.get(key);
    if (cached?.fingerprint === fingerprint) return cached.profile;
    const creation = writeProfile(known, { llm, limit, maxTokens, timeoutMs, runtime }).then(
      (lines): Profile => ({ lines, madeBy: 'model' }),
      (error: unknown): Profile => {
        runtime.logger.warn('The model could not write a profile; facts are used.', {
          ...user,
          code: errorCodeOf(error),
        });
        // Not cached, so that the next session calls the model again.
        if (users.get(key)?.profile === creation) users.delete(key);
        return profileOfFacts(known);
      },
    );
    const entry: CachedProfile = { fingerprint, profile: creation, isReady: false };
    void creation.then(() => (entry.isReady = true));
    putCached(users, key, entry, MAX_CACHED_PROFILES);
    return creation;
  }

  function profileOfFacts(known: KnownLines): Profile {
    const lines = [...known.facts, ...known.sources.flatMap((source) => source.lines)];
    return { lines: lines.slice(0, limit), madeBy: 'facts' };
  }

  function forget(user: UserRef): void {
    assertUser(user);
    users.delete(userKeyOf(user));
    const keyPrefix = `${userKeyOf(user).slice(0, -1)},`;
    for (const key of sessions.keys()) if (key.startsWith(keyPrefix)) sessions.delete(key);
  }

  return { of: getProfile, forget };
}

function fingerprintOf({ facts, sources }: KnownLines): string {
  return JSON.stringify([facts, sources]);
}

/** True if all texts of the first map are still the same in the second. */
function isUnchanged(texts: ReadonlyMap<string, string>, current: ReadonlyMap<string, string>): boolean {
  return [...texts].every(([id, text]) => current.get(id) === text);
}

function isEmpty({ facts, sources }: KnownLines): boolean {
  return facts.length === 0 && sources.every(({ lines }) => lines.length === 0);
}
