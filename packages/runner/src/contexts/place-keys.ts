import type { ContextCacheHint, ContextCacheOptions } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';
import type { LiveSession } from '../session/live-session.ts';

/** The place of a tool call in a run. */
export interface CallPlace {
  /** Names of the agents from the root to the agent that makes the call. */
  readonly agents: readonly string[];
  readonly branch: string | undefined;
}

/**
 * Returns the key of a tool call: the same for each attempt, and different from all other calls, also if the session is
 * deleted and created again. It is a hash, so it does not reveal app and user to other services.
 */
export function idempotencyKeyOf(task: RunTask, { agents, branch }: CallPlace, callId: string): string {
  const place = [agents, branch ?? '', callId];
  // Each attempt of a child run has a new session.
  if (task.childKey !== undefined) return sha256(JSON.stringify([task.childKey, ...place]));
  const { incarnation, ref } = task.session;
  return sha256(JSON.stringify([ref.appName, ref.userId, ref.sessionId, incarnation, ...place]));
}

/**
 * Returns the hint for the requests of one agent in one session. Its key is a hash, so it does not reveal app and user to a
 * provider.
 */
export function contextCacheHintOf(
  session: LiveSession,
  { agents, branch }: CallPlace,
  options: ContextCacheOptions,
): ContextCacheHint {
  const { appName, userId, sessionId } = session.ref;
  const place = JSON.stringify([
    'context cache',
    appName,
    userId,
    sessionId,
    session.incarnation,
    agents,
    branch ?? '',
  ]);
  const hints = session.folds;
  let key = hints.get(place) as string | undefined;
  if (key === undefined) hints.set(place, (key = sha256(place)));
  return { ...options, key };
}

// Defined by FIPS 180-4: the first 32 bits of the fractions of the square and cube roots of the first primes.
const INITIAL: Readonly<Uint32Array> = Uint32Array.from(primes(8), (prime) => fractionOf(Math.sqrt(prime)));
const CONSTANTS: Readonly<Uint32Array> = Uint32Array.from(primes(64), (prime) => fractionOf(Math.cbrt(prime)));

/**
 * Returns the SHA-256 of a text's UTF-8 bytes, in hex. Web Crypto is not used because it is asynchronous, and this package
 * uses no Node APIs.
 */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // Padding: the byte 0x80, zeros, and the length in bits in the last 8 bytes of the last 64-byte block.
  const padded = new Uint8Array((((bytes.length + 8) >>> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, bytes.length << 3);

  const hash = INITIAL.slice();
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(block + i * 4);
    for (let i = 16; i < 64; i++) {
      const [a, b] = [words[i - 15]!, words[i - 2]!];
      const first = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const second = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      words[i] = words[i - 16]! + first + words[i - 7]! + second;
    }
    compress(hash, words);
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('');
}

function compress(hash: Uint32Array, words: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const one = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + CONSTANTS[i]! + words[i]!) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) hash[i] = hash[i]! + value;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** Returns the first 32 bits of the fraction. */
function fractionOf(value: number): number {
  return (value - Math.floor(value)) * 0x1_0000_0000;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}
