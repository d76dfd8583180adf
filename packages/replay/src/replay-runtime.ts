import { FixedRuntime } from '@thole/testing';
import type { RecordedRun } from './recording.ts';

/**
 * A fixed runtime that returns the ids, times and random numbers of a recording. After the last recorded id it returns
 * the ids of `FixedRuntime`.
 */
export class ReplayRuntime extends FixedRuntime {
  #ids: RecordedRun['ids'] = [];
  #random: number[] = [];
  #now: number | undefined;

  /** Uses the ids and random numbers of this run from now on. */
  startRun({ ids, random }: RecordedRun): void {
    this.#ids = [...ids];
    this.#random = [...random];
    this.#now = ids[0]?.[2] ?? this.#now;
  }

  override now(): number {
    return this.#now ?? super.now();
  }

  override newId(kind: string): string {
    const at = this.#ids.findIndex(([each]) => each === kind);
    if (at < 0) return super.newId(kind);
    const [[, id, time]] = this.#ids.splice(at, 1) as [RecordedRun['ids'][number]];
    this.#now = time;
    return id;
  }

  override random(): number {
    return this.#random.shift() ?? super.random();
  }
}
