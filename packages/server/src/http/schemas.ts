import { isPlainObject, typeName } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { z } from 'zod';
import type { ZodArray, ZodType } from 'zod';

/** Returns the message for a value that must be an object. */
export function notAnObject({ input }: { readonly input?: unknown }): string {
  return `must be an object, got ${typeName(input)}`;
}

/**
 * Maximum number of events or memories that a client may add with one request. Each takes many times the memory of a short item
 * in the body.
 */
export const MAX_ADDED_ITEMS = 20_000;

/**
 * Returns a schema that reports only the first invalid item of a list. Zod reports every invalid item, which takes seconds and
 * gigabytes for some million items. A list with more than `maxItems` is rejected before its items are read.
 */
export function untilFirstError<T extends ZodType>(
  list: ZodArray<T>,
  maxItems: number = Infinity,
): ZodType<z.output<T>[]> {
  return z.preprocess((value, context) => {
    if (!Array.isArray(value)) return value;
    if (value.length > maxItems) {
      context.addIssue({ code: 'custom', message: `must have at most ${maxItems} items`, input: value });
      return [];
    }
    const invalid = value.findIndex((each) => !list.element.safeParse(each).success);
    return invalid < 0 ? value : value.slice(0, invalid + 1);
  }, list) as unknown as ZodType<z.output<T>[]>;
}

/** Returns the schema of an object whose keys the client chooses. Reports only the first invalid member. */
export function mapOf<T>(member: ZodType<T>): ZodType<{ [name: string]: T }> {
  return z.preprocess(
    (value) => {
      if (!isPlainObject(value)) return value;
      const invalid = Object.entries(value).find(([, each]) => !member.safeParse(each).success);
      return invalid ? Object.fromEntries([invalid]) : value;
    },
    z.record(z.string(), member),
  ) as unknown as ZodType<{ [name: string]: T }>;
}

/** An object whose keys the client chooses. It stays unchanged, also nulls and a key `__proto__`. */
export const jsonObject: ZodType<JsonObject> = z
  .custom<JsonObject>(isPlainObject, { error: notAnObject })
  .meta({ type: 'object' });

/** An integer ≥ 0 in a query. */
export const count: ZodType<number> = z
  .string()
  .regex(/^\d{1,9}$/, 'must be an integer ≥ 0')
  .transform(Number);

/** The `seq` of an event in a query. 0 if it is empty. */
export const seq: ZodType<number> = z
  .string()
  .regex(/^\d{0,15}$/, 'must be an integer ≥ 0')
  .transform(Number);

/** A number in a query. */
export const number: ZodType<number> = z
  .string()
  .regex(/^-?\d{1,15}(\.\d{1,20})?(e[+-]?\d{1,2})?$/i, 'must be a number')
  .transform(Number);

/** A boolean in a query. Python clients send `True` and `False`. */
export const flag: ZodType<boolean> = z
  .enum(['true', 'false', '1', '0', 'True', 'False'], 'must be true or false')
  .transform((each) => each === '1' || each.toLowerCase() === 'true');
