import type { Session } from '@thole/core';

/** Returns a seeded random generator for numbers from 0 to 1, so that every run uses the same texts. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const FILLERS =
  'the a i you it is was to of and that in my we for on with have not so do at be this but they are me what when about just'.split(
    ' ',
  );
const SYLLABLES =
  'ba be bo ca ce co da de do fa fe fi ga go ha he ka ke la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se so ta te to va ve wa we za ter son ling men ton ber gar'.split(
    ' ',
  );
const VOCABULARY = 30_000;

/**
 * Generates conversations of one user with one agent, with invented words in a Zipf distribution. About half of them
 * are stop words.
 */
export class GeneratedTalk {
  readonly #random: () => number;
  readonly #words: string[];
  readonly #cumulated: Float64Array;

  constructor(seed: number) {
    this.#random = seeded(seed);
    const words = new Set<string>();
    while (words.size < VOCABULARY) {
      const length = 2 + Math.floor(this.#random() * 3);
      words.add(Array.from({ length }, () => this.#oneOf(SYLLABLES)).join(''));
    }
    this.#words = [...words];
    this.#cumulated = new Float64Array(VOCABULARY);
    let sum = 0;
    for (let i = 0; i < VOCABULARY; i++) this.#cumulated[i] = sum += 1 / (i + 10);
  }

  /** Returns a content word, frequent ones more often. */
  word(): string {
    const wanted = this.#random() * this.#cumulated.at(-1)!;
    let [low, high] = [0, VOCABULARY - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#cumulated[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return this.#words[low]!;
  }

  /** Returns a turn of 6 to 23 words, or of more if it must have at least `letters` characters. */
  turn(letters?: number): string {
    const length = 6 + Math.floor(this.#random() * 18);
    const next = (): string => (this.#random() < 0.5 ? this.#oneOf(FILLERS) : this.word());
    const words = Array.from({ length }, next);
    for (let size = words.join(' ').length; size < (letters ?? 0); size += words.at(-1)!.length + 1) words.push(next());
    const text = words.join(' ');
    return `${text[0]!.toUpperCase()}${text.slice(1)}${this.#random() < 0.2 ? '?' : '.'}`;
  }

  /**
   * Returns sessions of 20 turns, three per week, with `turns` turns in total of at least `letters` characters each.
   */
  sessions(turns: number, appName: string, userId: string, letters?: number): Session[] {
    return Array.from({ length: Math.ceil(turns / 20) }, (_, i) => {
      const begin = 1_500_000_000 + i * 200_000;
      const events = Array.from({ length: Math.min(20, turns - i * 20) }, (_each, j) => ({
        id: `event-${i}-${j}`,
        invocationId: `invocation-${i}-${j >> 1}`,
        author: j % 2 === 0 ? 'user' : 'concierge',
        timestamp: begin + j * 30,
        content: { role: j % 2 === 0 ? ('user' as const) : ('model' as const), parts: [{ text: this.turn(letters) }] },
        actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
      }));
      const lastUpdateTime = events.at(-1)!.timestamp;
      const id = `session-${i}`;
      return { id, appName, userId, state: {}, events, lastUpdateTime, lastSeq: events.length, incarnation: id };
    });
  }

  /** Returns a question: two to five content words with stop words between them. */
  question(): string {
    return `What did you say ${this.#few().join(' the ')}?`;
  }

  /** Returns search words: two to five meaningful words. */
  keywords(): string {
    return this.#few().join(' ');
  }

  #few(): string[] {
    return Array.from({ length: 2 + Math.floor(this.#random() * 4) }, () => this.word());
  }

  #oneOf<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }
}
