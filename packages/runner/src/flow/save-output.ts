import { getFunctionCalls, isFinalResponse, textOf } from '@thole/core';
import { setOwn } from '@thole/core/kit';
import type { Event, Json } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';

/** Adds the agent's final answer to the state changes under `outputKey`: the text without thoughts, parsed if there is a schema. */
export function saveOutput(agent: LlmAgent, event: Event): void {
  if (agent.outputKey === undefined || event.author !== agent.name) return;
  if (event.errorCode || !isFinalResponse(event) || getFunctionCalls(event).length > 0) return;
  const text = textOf(event.content);
  if (text === '') return;
  setOwn(event.actions.stateDelta, agent.outputKey, agent.outputSchema ? parseJsonOrText(text) : text);
}

// The flow has validated the text, but a plugin may have changed it since.
function parseJsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
