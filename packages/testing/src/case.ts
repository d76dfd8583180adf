import type { FixedRuntime } from './fixed-runtime.ts';

/** One promise as data: a subject either keeps it or not, and its sentence says what it is. */
export interface Case<S> {
  /** Short and stable, such as `append.concurrent`. */
  readonly id: string;
  /** What holds, in words that somebody could disagree with. */
  readonly sentence: string;
  /** The numbers of the contracts that it shows. */
  readonly contracts: readonly number[];
  /** Claims without which the case does not apply: `lease`, `watch`, `durable` … */
  readonly needs?: readonly string[] | undefined;
  /** Throws when the subject does not keep the promise. The subject is fresh and nobody else's. */
  check(subject: S, t: CaseTools<S>): Promise<void>;
}

/** What a case gets besides its subject. */
export interface CaseTools<S> {
  /** The clock, ids and timers that the subject was made with. */
  readonly runtime: FixedRuntime;
  /** Makes a second subject over the same storage, as another process would; where the suite's owner gives it. */
  readonly reopen?: (() => Promise<S>) | undefined;
}

/** How to make what a suite is run over. */
export interface SubjectMaker<S> {
  /** What it can do beyond the basics: cases that need more are not run, and listed aloud. */
  readonly claims?: readonly string[] | undefined;
  /** A fresh subject, for each case: one that shares storage with no other. */
  create(runtime: FixedRuntime): S | Promise<S>;
  destroy?: ((subject: S) => void | Promise<void>) | undefined;
  reopen?: ((subject: S, runtime: FixedRuntime) => S | Promise<S>) | undefined;
}
