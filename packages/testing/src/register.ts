import { didYouMean } from '@thole/core/kit';
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
   * Ids of cases that are known to fail, each with the reason. They run, and the test of a pending case fails if the
   * case passes.
   */
  readonly pending?: { readonly [id: string]: string } | undefined;
}

/**
 * Registers every case as a separate test, named `<id>: <sentence> (contract 7, 9)`. The name of an additional test
 * lists the claims that the suite does not make. Throws if two cases have the same id, `pending` has an unknown id, or a
 * claim is misspelt.
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
  if (!failed) throw new Error(`The case ${each.id} passes now. Remove it from pending.`);
}

function checkIds<S>(cases: readonly Case<S>[], suite: SuiteOptions<S>): void {
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw new Error(`Two cases have the id ${id}.`);
    ids.add(id);
  }
  for (const id of Object.keys(suite.pending ?? {})) {
    if (!ids.has(id)) throw new Error(`pending of the suite "${suite.name}" contains the unknown id ${id}.`);
  }
  // Suites may share a list of claims, so a claim that no case of this suite needs is allowed unless it is misspelt.
  const needed = [...new Set(cases.flatMap(({ needs = [] }) => needs))];
  for (const claim of suite.claims ?? []) {
    const hint = needed.includes(claim) ? '' : didYouMean(claim, needed);
    if (hint !== '') throw new Error(`claims of the suite "${suite.name}" contains the unknown claim ${claim}.${hint}`);
  }
}
