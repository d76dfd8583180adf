import { errorFields } from '@thole/core/kit';
import type { ErrorFields } from '@thole/core/kit';

/** Texts that describe a thrown value to a developer. Sent as `debug` of responses. */
export interface ErrorDescription {
  /** `MODEL_FAILED: sentence` for a `TholeError`, otherwise `TypeError: sentence`. */
  message: string;
  /** Stacks of the error and its causes. A cause often shows where in the developer's code the error happened. */
  stack?: string | undefined;
  /** Messages of the causes, outermost first. */
  causes: string[];
}

/** Returns a description of a thrown value and its causes. The errors of an `AggregateError` count as causes. */
export function describeError(error: unknown): ErrorDescription {
  return describeFields(errorFields(error));
}

/** Returns a description of an error in the fields of a log entry. */
export function describeFields({ causes = [], ...error }: ReturnType<typeof errorFields>): ErrorDescription {
  const stacks = [error, ...causes].flatMap(({ stack }) => stack ?? []);
  return {
    message: messageOf(error),
    ...(stacks.length > 0 && { stack: stacks.join('\ncaused by: ') }),
    causes: [...new Set(causes.map(messageOf))],
  };
}

function messageOf({ error, code }: ErrorFields): string {
  if (code === undefined || error.startsWith(`${code}: `)) return error.replace(/: $/, '');
  if (error.startsWith('TholeError: ')) return `${code}: ${error.slice('TholeError: '.length)}`;
  // Network errors of Node may have a code and no message.
  if (error.endsWith(': ')) return error + code;
  return /^\w*(?:Error|Exception): /.test(error) ? error : `${code}: ${error}`;
}
