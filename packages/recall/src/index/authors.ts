import type { Analyzer } from '../analysis/analyzer.ts';
import { NameTable } from './name-table.ts';

/** The author number of an entry without an author. */
export const NO_AUTHOR = -1;

/** An author with turns whose name may occur in a query. */
export interface NamedAuthor {
  readonly author: number;
  /** False for agents, which are named after their task. */
  readonly isPerson: boolean;
  readonly words: readonly string[];
}

/** The authors of an index: a number for each name, and the number of turns per session. */
export class Authors {
  readonly #analyzer: Analyzer;
  readonly #names = new NameTable();
  readonly #words: (readonly string[])[] = [];
  readonly #turns: number[] = [];
  readonly #turnsAsUser: number[] = [];
  /** By author: the number of turns by session. */
  readonly #sessions: Map<number, number>[] = [];
  /** Cache of `namedAuthors`, deleted when an author gets the first turn or loses the last turn. */
  #namedAuthors: readonly NamedAuthor[] | undefined;

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer;
  }

  /** Returns the number of an author. A new name gets a new number. */
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

  /** Changes the number of an author's turns in a session by 1 or -1. */
  count(author: number, session: number, asUser: boolean, change: 1 | -1): void {
    const turns = this.#turns[author]!;
    this.#turns[author] = turns + change;
    if (turns === 0 || turns + change === 0) this.#namedAuthors = undefined;
    if (asUser) this.#turnsAsUser[author]! += change;
    const sessions = this.#sessions[author]!;
    const inSession = (sessions.get(session) ?? 0) + change;
    if (inSession > 0) sessions.set(session, inSession);
    else sessions.delete(session);
  }

  /**
   * Returns the authors with turns whose names may occur in a query. Names of people start with a capital letter or are in a
   * script without capitals. Other names are names of agents, without those of several words, which describe a task.
   */
  namedAuthors(): readonly NamedAuthor[] {
    if (this.#namedAuthors) return this.#namedAuthors;
    const named: NamedAuthor[] = [];
    for (let author = 0; author < this.#words.length; author++) {
      const words = this.#words[author]!;
      const name = this.#names.nameOf(author);
      const isPerson = name.toLowerCase() !== name || name.toUpperCase() === name;
      if (this.#turns[author]! > 0 && (isPerson || !/[^\p{L}]/u.test(name))) named.push({ author, isPerson, words });
    }
    return (this.#namedAuthors = named);
  }

  /** Returns the first author with turns whose name contains the token. */
  findByName(token: string): number | undefined {
    const [word] = this.#analyzer.words(token, 'query');
    return word === undefined ? undefined : this.namedAuthors().find(({ words }) => words.includes(word))?.author;
  }

  /** True if the author has a turn as the user who owns the memory. */
  isUser(author: number): boolean {
    return (this.#turnsAsUser[author] ?? 0) > 0;
  }

  /** Returns the number of an author's turns by session. */
  sessionsOf(author: number): ReadonlyMap<number, number> {
    return this.#sessions[author]!;
  }
}
