import type { JsonObject, LlmRequest } from '@thole/core';

/**
 * Returns the request in a span's attributes (`gcp.vertex.agent.llm_request`). Undefined if content is not captured.
 */
export function readRequest(attributes: JsonObject | undefined): LlmRequest | undefined {
  const json = attributes?.['gcp.vertex.agent.llm_request'];
  const request = typeof json === 'string' ? parse(json) : json;
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return undefined;
  const { contents, config } = request as { contents?: unknown; config?: unknown };
  if (!Array.isArray(contents)) return undefined;
  return { ...request, contents, config: typeof config === 'object' && config !== null ? config : {} } as LlmRequest;
}

// Without captured content the attribute may be '{}' or missing.
function parse(json: string): JsonObject | undefined {
  try {
    return JSON.parse(json) as JsonObject;
  } catch {
    return undefined;
  }
}
