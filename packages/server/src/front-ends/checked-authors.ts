import { AgentTree } from '@thole/core';
import type { Runner } from '@thole/runner';

/**
 * Returns the agents whose answers are checked before they are stored: those with an `outputSchema`. Their partial events are
 * drafts, which clients must not read.
 */
export function checkedAuthors({ agent }: Runner): ReadonlySet<string> {
  const names = new Set<string>();
  for (const each of new AgentTree(agent))
    if ((each as { outputSchema?: unknown }).outputSchema !== undefined) names.add(each.name);
  return names;
}
