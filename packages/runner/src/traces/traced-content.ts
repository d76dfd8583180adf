import type { Content, FunctionResponsePart, LlmRequest, LlmResponse, Part } from '@thole/core';

/** Returns a request as JSON for a span, without the bytes of files. */
export function tracedRequest(request: LlmRequest): string {
  return JSON.stringify({ ...request, contents: request.contents.map(withoutBytes) });
}

/** Returns a response as JSON for a span, without the bytes of files. */
export function tracedResponse(response: LlmResponse): string {
  const { content } = response;
  return JSON.stringify(content ? { ...response, content: withoutBytes(content) } : response);
}

function withoutBytes(content: Content): Content {
  if (!content.parts?.some((part) => part.inlineData || part.functionResponse?.parts)) return content;
  return { ...content, parts: content.parts.map(withoutData) };
}

function withoutData<P extends Part | FunctionResponsePart>(part: P): P {
  if (part.inlineData) return { ...part, inlineData: { ...part.inlineData, data: '' } };
  const answer = 'functionResponse' in part ? part.functionResponse : undefined;
  return answer?.parts ? { ...part, functionResponse: { ...answer, parts: answer.parts.map(withoutData) } } : part;
}
