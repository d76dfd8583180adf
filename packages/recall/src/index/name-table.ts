/** Numbers for names that come again and again, such as those of sessions and authors. */
export class NameTable {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #free: number[] = [];

  get length(): number {
    return this.#names.length;
  }

  /** Empty for a number that is free. */
  nameOf(number: number): string {
    return this.#names[number]!;
  }

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#names.length;
    this.#numbers.set(name, number);
    this.#names[number] = name;
    return number;
  }

  /** For a name that nothing has any more; its number is given again. */
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
