import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';

/** An object whose keys the client chooses. It stays unchanged, also nulls and a key `__proto__`. */
export const jsonObject: ZodType<JsonObject> = z
  .custom<JsonObject>(isPlainObject, 'must be an object')
  .meta({ type: 'object' });

/** An integer ≥ 0 in a query. */
export const count: ZodType<number> = z
  .string()
  .regex(/^\d{1,9}$/, 'must be an integer')
  .transform(Number);

/** A number in a query. */
export const number: ZodType<number> = z
  .string()
  .regex(/^-?\d{1,15}(\.\d{1,20})?$/, 'must be a number')
  .transform(Number);

/** A boolean in a query. */
export const flag: ZodType<boolean> = z
  .enum(['true', 'false', '1', '0'])
  .transform((each) => each === 'true' || each === '1');
