import { TholeError } from '@thole/core';
import type { TholeErrorCode } from '@thole/core';
import type { RecordedError } from './recording.ts';

/** Returns the data of an error for a file. */
export function toRecordedError(error: unknown): RecordedError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (!TholeError.is(error)) return { name, message };
  const { code, details, retryable } = error;
  return { name, message, code, retryable, ...(details && { details }) };
}

/** Returns the error that was recorded. */
export function fromRecordedError({ code, details, message, name, retryable }: RecordedError): Error {
  if (code !== undefined) return new TholeError(code as TholeErrorCode, message, { details, retryable });
  return Object.assign(new Error(message), { name });
}
