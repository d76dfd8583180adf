import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Logger } from '@thole/core';
import type { ZodType } from 'zod';
import { describeIssue } from './describe-issue.ts';

/**
 * Returns the value parsed by the schema. Throws `INVALID_INPUT` with the path of the first invalid field and the expected type,
 * never with the value. `name` is the name of the value in the message.
 */
export function parse<T>(schema: ZodType<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue!.path.map(String).join('.');
  throw new TholeError('INVALID_INPUT', `${path === '' ? name : `${name}.${path}`} ${issue!.message}.`);
}

const MAX_WARNINGS = 1_000;

/** Logs a warning for each unknown field of request bodies, once per route and field. */
export class UnknownFieldWarnings {
  readonly #reported: Set<string> = new Set();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  warn(route: string, body: unknown, parsed: unknown): void {
    if (!isPlainObject(body) || !isPlainObject(parsed)) return;
    for (const name in body) {
      if (Object.hasOwn(parsed, name) || this.#reported.size >= MAX_WARNINGS) continue;
      const field = `${route} ${name.slice(0, 100)}`;
      if (this.#reported.has(field)) continue;
      this.#reported.add(field);
      this.#logger.warn('Ignored an unknown field of a request.', { route, field: name.slice(0, 100) });
    }
  }
}
