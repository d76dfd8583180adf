import type { Tool } from '@thole/core';
import { loadMemoryTool, preloadMemoryTool, rememberTool } from '@thole/tools';

/** More than the tool's default of five, because many conversations mention rooms. */
const MEMORIES = 20;

/** Returns the tools with which the concierge recalls and remembers. */
export function memoryToolsFor(p: { timeZone: string; withFacts: boolean }): Tool[] {
  // The guest's words matter; the concierge's answers would only displace them. Facts have no author.
  const filter = p.withFacts ? undefined : { author: 'user' };
  return [
    // The agent asks for all wishes at once, so that each shares few words with the query.
    loadMemoryTool({ limit: MEMORIES, minRelevance: 0, filter, timeZone: p.timeZone }),
    preloadMemoryTool({ filter, timeZone: p.timeZone }),
    rememberTool(),
  ];
}
