import type { Analyzer } from '../analysis/analyzer.ts';
import { NameTable } from './name-table.ts';

/** No author. */
export const NO_AUTHOR = -1;

/** An author with turns and a name that a question may use. */
export interface NamedAuthor {
  readonly author: number;
  readonly isPerson: boolean;
  readonly words: readonly string[];
}

/** Who has said something in an index, and in which sessions how often. Authors without a turn left are not asked after. */
export class Authors {
  readonly #analyzer: Analyzer;
  readonly #names = new NameTable();
  readonly #words: (readonly string[])[] = [];
  readonly #turns: number[] = [];
  readonly #turnsAsUser: number[] = [];
  readonly #sessions: Map<number, number>[] = [];
  /** Until somebody comes or goes. */
  #present: readonly NamedAuthor[] | undefined;

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
    if (author < this.#words.length) return author;
    this.#words.push(this.#analyzer.words(name, 'query'));
    this.#turns.push(0);
    this.#turnsAsUser.push(0);
    this.#sessions.push(new Map());
    return author;
  }

  /** Returns the names by number; empty for an author without a turn. */
  names(): readonly string[] {
    return this.#names.all().map((name, author) => (this.#turns[author]! > 0 ? name : ''));
  }

  /** Counts turns of an author: `by` is 1 for one more, -1 for one less. */
  count(author: number, session: number, asUser: boolean, by: 1 | -1): void {
    const turns = this.#turns[author]!;
    this.#turns[author] = turns + by;
    if (turns === 0 || turns + by === 0) this.#present = undefined;
    if (asUser) this.#turnsAsUser[author]! += by;
    const sessions = this.#sessions[author]!;
    const inSession = (sessions.get(session) ?? 0) + by;
    if (inSession > 0) sessions.set(session, inSession);
    else sessions.delete(session);
  }

  /**
   * Who has turns and a name that a question may use. People's names are written with a capital, or in a
   * script without; agents are called after what they do, so that only those of one word are names.
   */
  namedAuthors(): readonly NamedAuthor[] {
    if (this.#present) return this.#present;
    const present: NamedAuthor[] = [];
    for (let author = 0; author < this.#words.length; author++) {
      const words = this.#words[author]!;
      const name = this.nameOf(author);
      const isPerson = name.toLowerCase() !== name || name.toUpperCase() === name;
      if (this.#turns[author]! > 0 && (isPerson || !/[^\p{L}]/u.test(name))) present.push({ author, isPerson, words });
    }
    return (this.#present = present);
  }

  /** Returns the first author present whom a token of a text names. */
  findByName(token: string): number | undefined {
    const [word] = this.#analyzer.words(token, 'query');
    return word === undefined ? undefined : this.namedAuthors().find(({ words }) => words.includes(word))?.author;
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
