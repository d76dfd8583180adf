import { TholeError } from '@thole/core';

/** A thrown value in words, for a developer. */
export interface ErrorDescription {
  /** `MODEL_FAILED: sentence` for errors with a code of ours, else `TypeError: sentence`. */
  message: string;
  /** Stacks of the error and its causes, because the cause tells where in the developer's code it happened. */
  stack?: string | undefined;
  /** The same for every error of the cause chain, outermost first. */
  causes: string[];
}

const MOST_CAUSES = 10;

/** Describes a thrown value with its cause chain. The errors of an `AggregateError` count as causes. */
export function describeError(error: unknown): ErrorDescription {
  const causes: string[] = [];
  const seen = new Set<unknown>([error]);
  const waiting = innerOf(error);
  while (waiting.length > 0 && causes.length < MOST_CAUSES) {
    const cause = waiting.shift();
    if (seen.has(cause)) continue;
    seen.add(cause);
    const text = messageOf(cause);
    if (!causes.includes(text)) causes.push(text);
    waiting.unshift(...innerOf(cause));
  }
  const stacks = [...seen].map(stackOf).filter((stack) => stack !== '');
  return { message: messageOf(error), ...(stacks.length > 0 && { stack: stacks.join('\ncaused by: ') }), causes };
}

function stackOf(error: unknown): string {
  const { stack } = (error ?? {}) as { stack?: unknown };
  return typeof stack === 'string' ? stack : '';
}

function innerOf(error: unknown): unknown[] {
  if (typeof error !== 'object' || error === null) return [];
  const { cause, errors } = error as { cause?: unknown; errors?: unknown };
  return [...(cause === undefined || cause === null ? [] : [cause]), ...(Array.isArray(errors) ? errors : [])];
}

function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { code, name, message } = error as { [member: string]: unknown };
  // Errors of Node's network calls may have a code and no message.
  const text = typeof message === 'string' && message !== '' ? message : typeof code === 'string' ? code : '';
  const kind = TholeError.is(error) ? error.code : typeof name === 'string' && name !== '' ? name : 'Error';
  return text === '' ? kind : `${kind}: ${text}`;
}
