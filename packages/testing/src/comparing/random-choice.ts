import { FixedRuntime } from '../fixed-runtime.ts';

/** Choices that a seed decides. */
export class RandomChoice {
  readonly #runtime: FixedRuntime;

  constructor(seed: number) {
    this.#runtime = new FixedRuntime({ seed });
  }

  /** A whole number from 0 to just below. */
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
