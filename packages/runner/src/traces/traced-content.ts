import type { Content, LlmRequest, LlmResponse, Part } from '@thole/core';

/** A request as a span tells it: all but the bytes of files. */
export function tracedRequest(request: LlmRequest): string {
  return JSON.stringify({ ...request, contents: request.contents.map(withoutBytes) });
}

/** A response, likewise. */
export function tracedResponse(response: LlmResponse): string {
  const { content } = response;
  return JSON.stringify(content ? { ...response, content: withoutBytes(content) } : response);
}

function withoutBytes(content: Content): Content {
  if (!content.parts?.some((part) => part.inlineData)) return content;
  return { ...content, parts: content.parts.map(withoutData) };
}

function withoutData(part: Part): Part {
  return part.inlineData ? { ...part, inlineData: { ...part.inlineData, data: '' } } : part;
}
