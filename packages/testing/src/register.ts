import type { Case, SubjectMaker } from './case.ts';
import { checkCase, claimsNotMade, isClaimed } from './run-cases.ts';

/** The members that vitest, node:test, jest and bun:test share. */
export interface TestFramework {
  describe(name: string, fn: () => void): unknown;
  it(name: string, fn: () => Promise<void>): unknown;
}

/** Name and subjects of a suite, and its cases that are known to fail. */
export interface SuiteOptions<S> extends SubjectMaker<S> {
  /** Name of the suite in the report. */
  readonly name: string;
  /**
   * Ids of cases that are known to fail, each with the reason. They run: one that passes fails the suite, so that
   * the list stays true.
   */
  readonly pending?: { readonly [id: string]: string } | undefined;
}

/**
 * Registers every case as a separate test, named `<id>: <sentence> (contract 7, 9)`. The name of one more test lists
 * the claims that the suite does not make.
 */
export function register<S>(framework: TestFramework, cases: readonly Case<S>[], suite: SuiteOptions<S>): void {
  checkIds(cases, suite);
  framework.describe(suite.name, () => {
    for (const each of cases) {
      if (!isClaimed(each, suite.claims)) continue;
      const reason = suite.pending?.[each.id];
      if (reason === undefined) framework.it(nameOf(each), () => checkCase(each, suite));
      else framework.it(`pending, ${reason}: ${nameOf(each)}`, () => checkFails(each, suite));
    }
    const missing = claimsNotMade(cases, suite.claims);
    if (missing.length > 0) framework.it(`claims not made: ${missing.join(', ')}`, async () => {});
  });
}

function nameOf(each: Pick<Case<never>, 'id' | 'sentence' | 'contracts'>): string {
  return `${each.id}: ${each.sentence} (contract ${each.contracts.join(', ')})`;
}

async function checkFails<S>(each: Case<S>, suite: SuiteOptions<S>): Promise<void> {
  const failed = await checkCase(each, suite).then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error(`${each.id} passes now: take it off the pending list.`);
}

function checkIds<S>(cases: readonly Case<S>[], suite: SuiteOptions<S>): void {
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw new Error(`Two cases are called ${id}.`);
    ids.add(id);
  }
  for (const id of Object.keys(suite.pending ?? {})) {
    if (!ids.has(id)) throw new Error(`The pending list of ${suite.name} names ${id}, which is not a case.`);
  }
}
