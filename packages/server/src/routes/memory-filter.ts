import type { MemoryEntry, MemoryFilter } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';
import { number } from '../http/schemas.ts';

const KINDS = ['turn', 'fact', 'note'] as const satisfies readonly MemoryEntry['kind'][];
const KIND_LIST = /^(?:turn|fact|note)(?:,(?:turn|fact|note))*$/;

/** `kinds=fact,note`: a list separated by commas. */
const kinds: ZodType<MemoryEntry['kind'][]> = z
  .string()
  .regex(KIND_LIST, `must be a list of ${KINDS.join(', ')}, separated by commas`)
  .transform((text) => text.split(',') as MemoryEntry['kind'][]);

/** All conditions except those on metadata, which the API does not support. */
type Conditions = Omit<MemoryFilter, 'metadata'>;

/** The query parameters of a filter. A topic may contain commas, so `topic` is repeated for several topics. */
export const filterQuery: {
  readonly [Name in Exclude<keyof Conditions, 'topics'>]-?: ZodType<Conditions[Name]>;
} & { readonly topic: ZodType<string[] | undefined> } = {
  kinds: kinds.optional(),
  from: number.optional(),
  to: number.optional(),
  validAt: number.optional(),
  author: z.string().optional(),
  sessionId: z.string().optional(),
  topic: z.array(z.string()).optional(),
};

/** Returns the filter of a query. Undefined if the query has no conditions. */
export function filterOf({
  topic,
  ...query
}: Omit<Conditions, 'topics'> & { topic?: string[] | undefined }): MemoryFilter | undefined {
  const conditions: Conditions = { ...query, topics: topic };
  const names = [...Object.keys(filterQuery), 'topics'] as (keyof Conditions)[];
  const entries = names
    .filter((name) => conditions[name] !== undefined)
    .map((name) => [name, conditions[name]] as const);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
