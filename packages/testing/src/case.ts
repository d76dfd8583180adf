import type { FixedRuntime } from './fixed-runtime.ts';

/** A test case as data: one promise, and a check that fails if the subject (the tested instance) breaks it. */
export interface Case<S> {
  /** Short and stable, such as `append.concurrent`. */
  readonly id: string;
  /** The promise, as the end of a sentence about the subject. */
  readonly sentence: string;
  /** The numbers of the contracts that the case tests. */
  readonly contracts: readonly number[];
  /** Claims that the case needs: `lease`, `watch`, `durable` … */
  readonly needs?: readonly string[] | undefined;
  /** Throws if the subject does not keep the promise. The subject is new and not shared. */
  check(subject: S, t: CaseTools<S>): Promise<void>;
}

/** The second argument of a check. */
export interface CaseTools<S> {
  /** The clock, ids and timers that the subject was created with. */
  readonly runtime: FixedRuntime;
  /**
   * Creates a second subject over the same storage, as another process would. Undefined if the suite has no
   * `reopen`.
   */
  readonly reopen?: (() => Promise<S>) | undefined;
}

/** Creates the subjects of a suite: the instances that its cases test. */
export interface SubjectMaker<S> {
  /** Optional abilities of the subject. Cases that need others do not run; they are listed in the report. */
  readonly claims?: readonly string[] | undefined;
  /** Creates a new subject for each case. Subjects share no storage. */
  create(runtime: FixedRuntime): S | Promise<S>;
  /** Called after each case, passed or failed. */
  destroy?: ((subject: S) => void | Promise<void>) | undefined;
  /** Creates a second instance over the storage of `subject`. Required by claims such as `durable` and `shared`. */
  reopen?: ((subject: S, runtime: FixedRuntime) => S | Promise<S>) | undefined;
}
