import { systemRuntime } from '@thole/core';
import { assertUser, putCached, raceAbort, sessionKeyOf, userKeyOf } from '@thole/core/kit';
import type { CallOptions, UserRef } from '@thole/core';
import { errorCodeOf } from '../error-code.ts';
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

interface FoundProfile {
  profile: Profile;
  /** True if the profile was complete before the known lines were read, so that they cannot have changed in between. */
  wasCached: boolean;
}

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
    const user = { appName: p.appName, userId: p.userId };
    const { sessionId, incarnation = '' } = p;
    const sessionKey = sessionId === undefined ? undefined : `${sessionKeyOf({ ...user, sessionId })}${incarnation}`;
    const sessionProfile = sessionKey === undefined ? undefined : sessions.get(sessionKey);
    const read = (): Promise<KnownLines> => readKnownLines(user, { ...options, runtime, signal: p.signal });
    let known = await read();
    if (sessionKey !== undefined && sessionProfile && isUnchanged(sessionProfile.texts, known.texts)) {
      putCached(sessions, sessionKey, sessionProfile, MAX_CACHED_PROFILES);
      return sessionProfile.profile;
    }
    let result = await findProfile(user, known, p.signal);
    // Entries that were deleted while the model was working must not be in the profile. After the last attempt the facts are used.
    for (let attempt = 1; result && !result.wasCached; attempt++) {
      if (isUnchanged(known.texts, await readKnownTexts(user, { ...options, signal: p.signal }))) break;
      users.delete(userKeyOf(user));
      known = await read();
      result = attempt < MAX_ATTEMPTS ? await findProfile(user, known, p.signal) : undefined;
      if (attempt === MAX_ATTEMPTS && !isEmpty(known)) result = { profile: profileOfFacts(known), wasCached: true };
    }
    if (!result) users.delete(userKeyOf(user));
    if (sessionKey !== undefined) {
      putCached(sessions, sessionKey, { profile: result?.profile, texts: known.texts }, MAX_CACHED_PROFILES);
    }
    return result?.profile;
  }

  /** Returns the profile of the known lines, or undefined without lines. */
  async function findProfile(
    user: UserRef,
    known: KnownLines,
    signal: AbortSignal | undefined,
  ): Promise<FoundProfile | undefined> {
    if (isEmpty(known)) return undefined;
    const cached = users.get(userKeyOf(user));
    const wasCached = cached?.isReady === true && cached.fingerprint === fingerprintOf(known);
    return { profile: await raceAbort(createProfile(user, known), signal), wasCached };
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
