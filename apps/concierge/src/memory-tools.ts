import type { Tool } from '@thole/core';
import { loadMemoryTool, preloadMemoryTool, rememberTool } from '@thole/tools';

/** More than the tool's own five: what was said about rooms in many conversations belongs together. */
const MEMORIES = 20;

/** The tools through which the concierge recalls and remembers. */
export function memoryToolsFor(p: { timeZone: string; withFacts: boolean }): Tool[] {
  // What the guest said counts; what the concierge answered to it would only crowd it out. Facts are said by nobody.
  const filter = p.withFacts ? undefined : { author: 'user' };
  return [
    // The agent asks for all wishes at once, so that each shares few words with the query.
    loadMemoryTool({ limit: MEMORIES, minRelevance: 0, filter, timeZone: p.timeZone }),
    preloadMemoryTool({ filter, timeZone: p.timeZone }),
    rememberTool(),
  ];
}
