import { AgentTree } from '@thole/core';
import type { Runner } from '@thole/runner';

/**
 * Returns the names of the agents with an `outputSchema`. Their answers are validated before they are stored. Their partial
 * events may be invalid, so they are not sent to clients.
 */
export function checkedAuthors({ agent }: Runner): ReadonlySet<string> {
  const names = new Set<string>();
  for (const each of new AgentTree(agent))
    if ((each as { outputSchema?: unknown }).outputSchema !== undefined) names.add(each.name);
  return names;
}
