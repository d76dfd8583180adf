import { sha256Hex } from '@thole/core/kit';
import type { MemoryScope } from '@thole/core';

/** Start of ADK's display names. The parts after it are base64url. */
const ADK = 'adk-memory-v1.';
/** Start of the names of files for which ADK's names are too long. The parts after it are hashes. */
const HASHED = 'thole-memory-v1.';
/** Maximum length of a display name. */
const MAX_NAME = 128;

/**
 * Display names of the files of a user. They encode app, user and session, so that no two users share one. Names of other
 * ADK programs are also recognised: current names, and the older form `app.user.session`.
 */
export class RagFileNames {
  readonly #encoded: string;
  readonly #hashed: string;
  /** Undefined if the app or user contains a dot, because such names are ambiguous. */
  readonly #legacy: string | undefined;

  private constructor(encoded: string, hashed: string, legacy: string | undefined) {
    this.#encoded = encoded;
    this.#hashed = hashed;
    this.#legacy = legacy;
  }

  /** Returns the names of a user of an app. */
  static async create({ appName, userId }: MemoryScope): Promise<RagFileNames> {
    const encoded = `${ADK}${encode(appName)}.${encode(userId)}.`;
    const hashed = `${HASHED}${await hash(appName)}.${await hash(userId)}.`;
    return new RagFileNames(encoded, hashed, `${appName}${userId}`.includes('.') ? undefined : `${appName}.${userId}.`);
  }

  /** Returns the name of a session's file. */
  async nameOf(sessionId: string): Promise<string> {
    const name = `${this.#encoded}${encode(sessionId)}`;
    return name.length <= MAX_NAME ? name : `${this.#hashed}${await hash(sessionId)}`;
  }

  /** True if a file belongs to the user. */
  has(displayName: string): boolean {
    return this.#partOf(displayName) !== undefined;
  }

  /** Returns the id of a file's session. Undefined if the name contains only the hash of the id. */
  sessionIdIn(displayName: string): string | undefined {
    const part = this.#partOf(displayName);
    if (part === undefined || displayName.startsWith(HASHED)) return undefined;
    return displayName.startsWith(ADK) ? decode(part) : part;
  }

  /** Returns the part of a name that encodes the session. */
  #partOf(displayName: string): string | undefined {
    const isLegacy = !displayName.startsWith(ADK) && !displayName.startsWith(HASHED);
    const prefixes = isLegacy ? [this.#legacy] : [this.#encoded, this.#hashed];
    const prefix = prefixes.find((each) => each !== undefined && displayName.startsWith(each));
    const part = prefix === undefined ? '' : displayName.slice(prefix.length);
    return part === '' || part.includes('.') ? undefined : part;
  }
}

async function hash(name: string): Promise<string> {
  return (await sha256Hex(name)).slice(0, 36);
}

function encode(name: string): string {
  const bytes = new TextEncoder().encode(name);
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function decode(part: string): string | undefined {
  try {
    const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
