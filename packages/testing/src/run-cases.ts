import { systemRuntime } from '@thole/core';
import type { Case, SubjectMaker } from './case.ts';
import { FixedRuntime } from './fixed-runtime.ts';

/** The result of one case. */
export interface CaseResult {
  id: string;
  contracts: readonly number[];
  /** The error of the case. Undefined if it passed. */
  error?: unknown;
}

/**
 * Runs a suite without a test framework, one case after another, each with a new subject. For tests of suites. A
 * case that has not ended after `limitMs` of real time counts as failed. Default: 5,000.
 */
export async function runCases<S>(
  cases: readonly Case<S>[],
  maker: SubjectMaker<S> & { limitMs?: number | undefined },
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const each of cases) {
    if (!isClaimed(each, maker.claims)) continue;
    const { id, contracts } = each;
    try {
      await withTimeLimit(checkCase(each, maker), maker.limitMs ?? 5_000);
      results.push({ id, contracts });
    } catch (error) {
      results.push({ id, contracts, error });
    }
  }
  return results;
}

/** Runs one case with its own subject. */
export async function checkCase<S>(each: Case<S>, maker: SubjectMaker<S>): Promise<void> {
  const runtime = new FixedRuntime();
  const subject = await maker.create(runtime);
  const { reopen } = maker;
  try {
    await each.check(subject, { runtime, ...(reopen && { reopen: async () => reopen(subject, runtime) }) });
  } catch (error) {
    // The failure of the case is reported, also if the subject then cannot be destroyed.
    await (async () => maker.destroy?.(subject))().catch(() => {});
    throw error;
  }
  await maker.destroy?.(subject);
}

/** Returns the ids of the cases of each contract, for a test that every contract has a case. */
export function contractsCovered(
  ...suites: readonly (readonly Pick<Case<never>, 'id' | 'contracts'>[])[]
): Map<number, string[]> {
  const covered = new Map<number, string[]>();
  for (const { id, contracts } of suites.flat()) {
    for (const contract of contracts) covered.set(contract, [...(covered.get(contract) ?? []), id]);
  }
  return covered;
}

export function isClaimed(
  each: { readonly needs?: readonly string[] | undefined },
  claims: readonly string[] = [],
): boolean {
  return (each.needs ?? []).every((claim) => claims.includes(claim));
}

/** Returns the claims that cases need and the suite does not make, with the number of cases of each. */
export function claimsNotMade(
  cases: readonly { readonly needs?: readonly string[] | undefined }[],
  claims: readonly string[] = [],
): string[] {
  const missing = new Map<string, number>();
  for (const claim of cases.flatMap((each) => each.needs ?? [])) {
    if (!claims.includes(claim)) missing.set(claim, (missing.get(claim) ?? 0) + 1);
  }
  return [...missing].map(([claim, count]) => `${claim} (${count} ${count === 1 ? 'case' : 'cases'})`);
}

async function withTimeLimit(check: Promise<void>, limitMs: number): Promise<void> {
  const controller = new AbortController();
  const timeout = systemRuntime()
    .sleep(limitMs, controller.signal)
    .then(() => {
      throw new Error(`The case did not end within ${limitMs} ms.`);
    });
  timeout.catch(() => {});
  try {
    await Promise.race([check, timeout]);
  } finally {
    controller.abort();
  }
}
