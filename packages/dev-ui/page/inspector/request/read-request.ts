import type { JsonObject, LlmRequest } from '@thole/core';

/** The request in a span's attributes, as `gcp.vertex.agent.llm_request`; undefined where content is not captured. */
export function readRequest(attributes: JsonObject | undefined): LlmRequest | undefined {
  const json = attributes?.['gcp.vertex.agent.llm_request'];
  const request = typeof json === 'string' ? parsed(json) : json;
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return undefined;
  const { contents, config } = request as { contents?: unknown; config?: unknown };
  if (!Array.isArray(contents)) return undefined;
  return { ...request, contents, config: typeof config === 'object' && config !== null ? config : {} } as LlmRequest;
}

// Who does not capture content may send '{}' or nothing at all.
function parsed(json: string): JsonObject | undefined {
  try {
    return JSON.parse(json) as JsonObject;
  } catch {
    return undefined;
  }
}
