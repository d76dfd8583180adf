/** The names of the trip's calls, in order. The last one needs an approval. */
export const calls = ['reserve', 'hold', 'mail', 'pay'] as const;

/** A process that dies at one point. */
export interface CrashingProcess {
  /** Called before and after each wait. Never resolves after the process has died. */
  gate(point: string): Promise<void>;
  readonly isDead: boolean;
}

/** Counts of one trip, over all of its processes. */
export class TripCounts {
  readonly effects: Map<string, number> = new Map();
  modelCalls = 0;

  takeEffect(call: string): void {
    this.effects.set(call, (this.effects.get(call) ?? 0) + 1);
  }
}

/** A trip of one framework: one agent with four calls, an approval and a final text. */
export interface CrashTrip {
  /** Starts or continues the trip in a new process. Returns true if it has ended. */
  continueIn(process: CrashingProcess): Promise<boolean>;
  /** Advances the clock after a process has died, if the framework has leases. */
  afterDeath?(): Promise<void>;
  /** Returns the answers of the calls that the history contains, by name. */
  answers(): Promise<{ [call: string]: unknown[] }>;
}

/** A function that creates a new trip. */
export type CrashTripMaker = (counts: TripCounts) => CrashTrip;

/** Numbers of trips, one for each point at which a process died. */
export interface CrashTotals {
  points: number;
  /** Trips with the same result as without a crash. */
  same: number;
  /** Trips whose model read "outcome unknown". */
  unknown: number;
  /** Trips with a repeated effect. */
  twice: number;
  /** Ended trips with a missing effect that was not reported as unknown. */
  never: number;
  /** Ended trips with an effect whose result is not in the history. */
  lost: number;
  unfinished: number;
  /** Mean number of model calls per trip. */
  modelCalls: number;
}

/** Runs the trip once for each point at which its process can die. */
export async function crashAtEachPoint(make: CrashTripMaker): Promise<CrashTotals> {
  const { points } = await runTrip(make, -1);
  const totals = { points, same: 0, unknown: 0, twice: 0, never: 0, lost: 0, unfinished: 0, modelCalls: 0 };
  for (let at = 0; at < points; at++) {
    const { answers, counts, isDone } = await runTrip(make, at);
    const isUnknown = calls.some((call) => JSON.stringify(answers[call] ?? '').includes('outcome unknown'));
    const isTwice = calls.some((call) => (counts.effects.get(call) ?? 0) > 1);
    const isNever = calls.some((call) => !counts.effects.has(call) && !isUnknown);
    const isLost = calls.some((call) => counts.effects.has(call) && !answers[call]);
    const isSame = calls.every((call) => JSON.stringify(answers[call]) === JSON.stringify([{ done: call }]));
    totals.same += Number(isDone && isSame && !isTwice);
    totals.unknown += Number(isUnknown);
    totals.twice += Number(isTwice);
    totals.never += Number(isDone && isNever);
    totals.lost += Number(isDone && isLost);
    totals.unfinished += Number(!isDone);
    totals.modelCalls += counts.modelCalls / points;
  }
  return totals;
}

async function runTrip(
  make: CrashTripMaker,
  at: number,
): Promise<{ points: number; isDone: boolean; answers: { [call: string]: unknown[] }; counts: TripCounts }> {
  const counts = new TripCounts();
  const trip = make(counts);
  let points = 0;
  let isDone = false;
  for (let start = 0; start < 8 && !isDone; start++) {
    const process = new Process(() => points++ === at);
    const ended = trip.continueIn(process).catch(() => false);
    isDone = await Promise.race([ended, process.died.then(() => false)]);
    if (process.isDead) await trip.afterDeath?.();
    process.isDead = true;
  }
  return { points, isDone, answers: await trip.answers(), counts };
}

class Process implements CrashingProcess {
  isDead = false;
  readonly #dies: () => boolean;
  readonly #died: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(dies: () => boolean) {
    this.#dies = dies;
  }

  get died(): Promise<void> {
    return this.#died.promise;
  }

  async gate(): Promise<void> {
    if (!this.isDead && this.#dies()) {
      this.isDead = true;
      this.#died.resolve();
    }
    if (this.isDead) await new Promise(() => {});
  }
}

/** Returns an object that calls `process.gate` before and after each of these methods. */
export function gated<T extends object>(target: T, names: readonly (keyof T & string)[], process: CrashingProcess): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      const method = value.bind(object) as (...args: unknown[]) => unknown;
      if (!names.includes(name as keyof T & string)) return method;
      return async (...args: unknown[]) => {
        await process.gate(`${String(name)}: begins`);
        const result = await method(...args);
        await process.gate(`${String(name)}: ends`);
        return result;
      };
    },
  });
}
