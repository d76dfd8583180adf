/** Numbers for names that occur many times, such as words, sessions and authors. Numbers of removed names are reused. */
export class NameTable {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #free: number[] = [];

  /** Number of numbers assigned so far, including free ones. */
  get length(): number {
    return this.#names.length;
  }

  /** Number of names. */
  get size(): number {
    return this.#numbers.size;
  }

  find(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** Returns the name of a number; empty for a free number. */
  nameOf(number: number): string {
    return this.#names[number]!;
  }

  /** Returns the number of a name. A new name gets a free number. */
  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#names.length;
    this.#numbers.set(name, number);
    this.#names[number] = name;
    return number;
  }

  /** Removes a name that is no longer used. */
  remove(number: number): void {
    this.#numbers.delete(this.#names[number]!);
    this.#names[number] = '';
    this.#free.push(number);
  }

  /** Returns the names by number; empty for a free number. */
  all(): readonly string[] {
    return this.#names;
  }
}
