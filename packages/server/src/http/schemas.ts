import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';

/** An object of the client's own names, taken as it came: nulls and `__proto__` too. */
export const map: ZodType<JsonObject> = z
  .custom<JsonObject>(isPlainObject, 'must be an object')
  .meta({ type: 'object' });

/** A whole number in a query. */
export const count: ZodType<number> = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number);

/** A number in a query. */
export const number: ZodType<number> = z
  .string()
  .regex(/^-?\d{1,15}(\.\d{1,20})?$/, 'must be a number')
  .transform(Number);

/** Yes or no in a query. */
export const flag: ZodType<boolean> = z
  .enum(['true', 'false', '1', '0'])
  .transform((each) => each === 'true' || each === '1');
