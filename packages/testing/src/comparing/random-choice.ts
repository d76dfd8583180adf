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

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** Returns 1 to `max` items, some of them possibly more than once. */
  pickSome<T>(list: readonly T[], max: number): T[] {
    return Array.from({ length: 1 + this.below(max) }, () => this.pick(list));
  }
}
