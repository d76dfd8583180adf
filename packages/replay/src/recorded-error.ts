import { TholeError } from '@thole/core';
import type { TholeErrorCode } from '@thole/core';
import type { RecordedError } from './recording.ts';

/** Converts an error to the JSON data of a recording. Other thrown values get the message that the runner shows for them. */
export function toRecordedError(error: unknown): RecordedError {
  const { name, message } = error instanceof Error ? error : new Error(messageOf(error));
  if (!TholeError.is(error)) return { name, message };
  const { code, details, retryable } = error;
  return { name, message, code, retryable, ...(details && { details }) };
}

/** Converts the data of a recording to an error. */
export function fromRecordedError({ code, details, message, name, retryable }: RecordedError): Error {
  if (code !== undefined) return new TholeError(code as TholeErrorCode, message, { details, retryable });
  return Object.assign(new Error(message), { name });
}

const messageOf = (thrown: unknown): string =>
  typeof thrown === 'string' ? thrown : 'A value that is not an Error was thrown.';
