import { TholeError } from '@thole/core';

/**
 * Returns the response with a size limit of its body, or of each event if the body is a stream of events. `onTooLarge`
 * receives the error of a body that is too long.
 */
export function limitBody(response: Response, maxBytes: number, onTooLarge: (failure: TholeError) => void): Response {
  if (!response.body) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = isStream ? endOfEvent(chunk) : -1;
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
      if (bytes <= maxBytes) return controller.enqueue(chunk);
      const error = messageTooLargeError(maxBytes);
      onTooLarge(error);
      controller.error(error);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}

/** Returns the error for a message that is too long. */
export function messageTooLargeError(maxBytes: number): TholeError {
  const message = `A message of the MCP server has more than ${maxBytes} bytes. Raise maxResultBytes to allow larger results.`;
  return new TholeError('MCP_SERVER_FAILED', message);
}

const NEWLINE = 10;

/** Returns the index after the last empty line of the chunk, which ends an event, or -1. */
function endOfEvent(chunk: Uint8Array): number {
  for (let end = chunk.lastIndexOf(NEWLINE); end > 0; end = chunk.lastIndexOf(NEWLINE, end - 1)) {
    const before = chunk[end - 1] === 13 ? end - 2 : end - 1;
    if (chunk[before] === NEWLINE) return end + 1;
  }
  return -1;
}
