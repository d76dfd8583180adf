import type { MemoryEntry, MemoryFilter } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';
import { number } from '../http/schemas.ts';

const KINDS = ['turn', 'fact', 'note'] as const satisfies readonly MemoryEntry['kind'][];
const OF_KINDS = /^(?:turn|fact|note)(?:,(?:turn|fact|note))*$/;

/** `kinds=fact,note`: names with commas between them. */
const kinds: ZodType<MemoryEntry['kind'][]> = z
  .string()
  .regex(OF_KINDS, `must be some of ${KINDS.join(', ')}, with commas between them`)
  .transform((text) => text.split(',') as MemoryEntry['kind'][]);

/** `topics=food,travel`: names with commas between them. */
const topics: ZodType<string[]> = z.string().transform((text) => text.split(','));

/** All but those on metadata, whose names are the client's. */
type Conditions = Omit<MemoryFilter, 'metadata'>;

/** The conditions of a filter as they stand in a query, each by its name. */
export const filterQuery: { readonly [Name in keyof Conditions]-?: ZodType<Conditions[Name]> } = {
  kinds: kinds.optional(),
  from: number.optional(),
  to: number.optional(),
  validAt: number.optional(),
  author: z.string().optional(),
  sessionId: z.string().optional(),
  topics: topics.optional(),
};

/** The filter that a query names; undefined where it names none. */
export function filterOf(query: Conditions): MemoryFilter | undefined {
  const names = Object.keys(filterQuery) as (keyof Conditions)[];
  const given = names.filter((name) => query[name] !== undefined).map((name) => [name, query[name]]);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
