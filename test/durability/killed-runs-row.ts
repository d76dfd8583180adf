import { getFunctionResponses } from '@thole/core';
import type { Session } from '@thole/core';
import type { SimulatedWorld } from '@thole/testing/simulation';

/** A row of the table of killed runs in docs/benchmarks.md. */
export class KilledRunsRow {
  kills: number = 0;
  readonly #name: string;
  #trips = 0;
  #acknowledged = 0;
  #lost = 0;
  #effects = 0;
  #repeated = 0;
  #doubled = 0;
  #unknown = 0;
  #others = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Adds a trip that has ended, with the sentences of `violationsOf`. */
  addTrip({ events, userId }: Session, world: SimulatedWorld, violations: readonly string[]): void {
    this.#trips++;
    this.#acknowledged += world.acknowledged.get(userId)?.length ?? 0;
    this.#effects += world.keys.size;
    for (const { response } of events.flatMap(getFunctionResponses))
      if (JSON.stringify(response['error'])?.startsWith('"outcome unknown')) this.#unknown++;
    for (const violation of violations) {
      if (violation.includes(' is lost.')) this.#lost++;
      else if (violation.includes(' took effect ')) this.#repeated++;
      else if (violation.includes(' answers.')) this.#doubled++;
      else this.#others++;
    }
  }

  toString(): string {
    const done = [this.#name, this.kills, this.#trips, this.#acknowledged, this.#lost, this.#effects, this.#repeated];
    return `| ${[...done, this.#doubled, this.#others, this.#unknown].join(' | ')} |`;
  }
}
