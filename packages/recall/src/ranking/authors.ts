import type { Analyzer } from '../analyzer/analyzer.ts';
import { Names } from '../index/names.ts';

/** Who has said something in an index, and in which sessions how often. Authors without a turn left are not asked after. */
export class Authors {
  readonly #analyzer: Analyzer;
  readonly #names = new Names();
  readonly #words: (readonly string[])[] = [];
  readonly #turns: number[] = [];
  readonly #turnsAsUser: number[] = [];
  readonly #sessions: Map<number, number>[] = [];

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer;
  }

  /** Numbers given so far. */
  get length(): number {
    return this.#names.length;
  }

  nameOf(author: number): string {
    return this.#names.nameOf(author);
  }

  numberOf(name: string): number {
    const author = this.#names.numberOf(name);
    if (author === this.#words.length) this.#add(name);
    // A number that was free is another's now.
    else if (this.#turns[author] === 0) this.#words[author] = this.#analyzer.words(name, 'query');
    return author;
  }

  /** The names by number; nothing of those who have no turn left. */
  save(): readonly string[] {
    return this.#names.save().map((name, author) => (this.#turns[author]! > 0 ? name : ''));
  }

  /** Takes what was saved, in the place of all that is here; turns are to be counted anew. */
  load(names: readonly string[]): void {
    this.#names.load(names);
    for (const name of names) this.#add(name);
  }

  #add(name: string): void {
    this.#words.push(this.#analyzer.words(name, 'query'));
    this.#turns.push(0);
    this.#turnsAsUser.push(0);
    this.#sessions.push(new Map());
  }

  /** Counts turns of an author: `by` is 1 for one more, -1 for one less. */
  count(author: number, session: number, asUser: boolean, by: 1 | -1): void {
    this.#turns[author]! += by;
    if (asUser) this.#turnsAsUser[author]! += by;
    const sessions = this.#sessions[author]!;
    const turns = (sessions.get(session) ?? 0) + by;
    if (turns > 0) sessions.set(session, turns);
    else sessions.delete(session);
  }

  /**
   * Who has turns and a name that a question may use, each with its words. People's names are written with a capital, or in a
   * script without; agents are called after what they do, so that only those of one word are names.
   */
  *present(): Generator<{ author: number; isPerson: boolean; words: readonly string[] }> {
    for (let author = 0; author < this.#words.length; author++) {
      const words = this.#words[author]!;
      const name = this.nameOf(author);
      const isPerson = name.toLowerCase() !== name || name.toUpperCase() === name;
      if (this.#turns[author]! > 0 && (isPerson || !/[^\p{L}]/u.test(name))) yield { author, isPerson, words };
    }
  }

  /** Whether an author is the user whose memory this is. */
  isUser(author: number): boolean {
    return (this.#turnsAsUser[author] ?? 0) > 0;
  }

  /** Turns of an author by session. */
  sessionsOf(author: number): ReadonlyMap<number, number> {
    return this.#sessions[author]!;
  }
}
