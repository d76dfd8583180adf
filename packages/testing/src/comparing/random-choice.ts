import { FixedRuntime } from '../fixed-runtime.ts';

/** Random choices that a seed determines. */
export class RandomChoice {
  readonly #runtime: FixedRuntime;

  constructor(seed: number) {
    this.#runtime = new FixedRuntime({ seed });
  }

  /** Returns an integer ≥ 0 and < `count`. */
  below(count: number): number {
    return Math.floor(this.#runtime.random() * count);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  some<T>(list: readonly T[], most: number): T[] {
    return Array.from({ length: 1 + this.below(most) }, () => this.of(list));
  }
}
