/** Numbers for names that come again and again, such as those of sessions and authors. */
export class Names {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  get length(): number {
    return this.#names.length;
  }

  nameOf(number: number): string {
    return this.#names[number]!;
  }

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }
}
