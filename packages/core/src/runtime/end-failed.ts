import { TholeError } from '../errors/thole-error.ts';
import type { Span } from './runtime.ts';

/**
 * Ends a span with an error and sets its `error.type`. The message of a foreign error may contain content, so it is left
 * out unless content is captured.
 */
export function endFailed(span: Span, error: unknown, p: { capturesContent: boolean }): void {
  const type = errorTypeOf(error);
  if (!span.isSilent) span.set({ 'error.type': type });
  span.end(p.capturesContent || TholeError.is(error) ? error : withoutMessage(error, type));
}

/** Returns the code of a `TholeError`, the name of another error, or `_OTHER`. */
export function errorTypeOf(error: unknown): string {
  if (TholeError.is(error)) return error.code;
  return error instanceof Error && error.name !== '' ? error.name : '_OTHER';
}

// Keeps the stack frames, which contain no content.
function withoutMessage(error: unknown, type: string): Error {
  const safeError = new Error('The message of this error is not captured.');
  safeError.name = type;
  const { stack = '', message = '' } = error instanceof Error ? error : {};
  const end = stack.indexOf(message);
  safeError.stack = `${type}: ${safeError.message}${end < 0 ? '' : stack.slice(end + message.length)}`;
  return safeError;
}
