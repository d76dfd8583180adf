import { redact } from './redact.ts';

/** An error as fields of a log line. */
export interface ErrorFields {
  /** Name and message: `TypeError: fetch failed`. */
  error: string;
  code?: string | undefined;
  stack?: string | undefined;
}

/** Maximum number of causes that are read. */
const MAX_CAUSES = 8;

/**
 * Returns an error and its chain of causes as fields of a log line, the outermost cause first. Members of an
 * `AggregateError` count as causes. `secrets` are removed from all texts. Never throws.
 */
export function errorFields(
  error: unknown,
  secrets: readonly string[] = [],
): ErrorFields & { causes?: ErrorFields[] | undefined } {
  const fields = fieldsOf(error, secrets);
  const causes = causesOf(error).map((cause) => fieldsOf(cause, secrets));
  return causes.length > 0 ? { ...fields, causes } : fields;
}

function causesOf(error: unknown): unknown[] {
  const known: unknown[] = [error];
  for (let i = 0; i < known.length && known.length <= MAX_CAUSES; i++) {
    for (const cause of directCausesOf(known[i])) {
      if (!known.includes(cause) && known.length <= MAX_CAUSES) known.push(cause);
    }
  }
  return known.slice(1);
}

function directCausesOf(error: unknown): unknown[] {
  const cause = memberOf(error, 'cause');
  const errors = memberOf(error, 'errors');
  return [...(cause === undefined ? [] : [cause]), ...(Array.isArray(errors) ? errors : [])];
}

function fieldsOf(error: unknown, secrets: readonly string[]): ErrorFields {
  const [name, message, code, stack] = ['name', 'message', 'code', 'stack'].map((member) => memberOf(error, member));
  if (typeof message !== 'string') return { error: redact(textOfThrown(error), secrets) };
  return {
    error: redact(`${typeof name === 'string' ? name : 'Error'}: ${message}`, secrets),
    ...(typeof code === 'string' && { code }),
    ...(typeof stack === 'string' && { stack: redact(stack, secrets) }),
  };
}

// A getter or a proxy may throw.
function memberOf(value: unknown, member: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? (value as { [name: string]: unknown })[member] : undefined;
  } catch {
    return undefined;
  }
}

// A thrown object that is not an error may contain anything, so only its type is named.
function textOfThrown(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : `a thrown ${thrown === null ? 'null' : typeof thrown}`;
}
