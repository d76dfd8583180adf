import type { Event } from '@thole/core';

/** What of a graph an event is of. */
export interface GraphMarks {
  agent: string | undefined;
  tools: ReadonlySet<string>;
}

/** The agent that said an event and the tools that it calls or that answer in it. */
export function marksOf(event: Event | undefined): GraphMarks {
  const tools = new Set<string>();
  for (const { functionCall, functionResponse } of event?.content?.parts ?? []) {
    const name = functionCall?.name ?? functionResponse?.name;
    if (name !== undefined) tools.add(name);
  }
  return { agent: event?.author, tools };
}
