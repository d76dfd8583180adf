import { runCases } from '@thole/testing';
import type { Case, CaseResult, FixedRuntime } from '@thole/testing';

/** A correct implementation with one defect. */
export interface Mutant<S> {
  /** The defect. */
  id: string;
  /** The contract that it breaks. */
  contract: number;
  create(runtime: FixedRuntime): S;
}

/** Returns the first failure of the cases for the contract that the mutant breaks. Undefined if all pass. */
export async function firstFailure<S>(
  mutant: Mutant<S>,
  cases: readonly Case<S>[],
  claims: readonly string[] = [],
): Promise<CaseResult | undefined> {
  for (const each of cases) {
    if (!each.contracts.includes(mutant.contract)) continue;
    const [result] = await runCases([each], { create: (runtime) => mutant.create(runtime), claims, limitMs: 2_000 });
    if (result?.error !== undefined) return result;
  }
  return undefined;
}
