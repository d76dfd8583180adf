import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Logger } from '@thole/core';
import type { ZodType } from 'zod';

/** What came, in the schema's shape; `INVALID_INPUT` that names the first field which does not fit and what it should be, never its value. */
export function parse<T>(schema: ZodType<T>, value: unknown, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue!.path.map(String).join('.');
  throw new TholeError('INVALID_INPUT', `${path === '' ? where : `${where}.${path}`}: ${issue!.message}.`);
}

/** Tells once, in the life of a handler, of each field that nobody reads. */
export class UnknownFields {
  readonly #told: Set<string> = new Set();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  tell(route: string, given: unknown, taken: unknown): void {
    if (!isPlainObject(given) || !isPlainObject(taken)) return;
    for (const name in given) {
      if (Object.hasOwn(taken, name) || this.#told.size >= 1_000) continue;
      const field = `${route} ${name.slice(0, 100)}`;
      if (this.#told.has(field)) continue;
      this.#told.add(field);
      this.#logger.warn('A field of a request is not known and was ignored.', { route, field: name.slice(0, 100) });
    }
  }
}
