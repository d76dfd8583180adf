import type { MemoryEntry, MemoryFilter } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';
import { number } from '../edge/schemas.ts';

const KINDS = ['turn', 'fact', 'note'] as const satisfies readonly MemoryEntry['kind'][];
const OF_KINDS = /^(?:turn|fact|note)(?:,(?:turn|fact|note))*$/;

/** `kinds=fact,note`: names with commas between them. */
const kinds: ZodType<MemoryEntry['kind'][]> = z
  .string()
  .regex(OF_KINDS, `must be some of ${KINDS.join(', ')}, with commas between them`)
  .transform((text) => text.split(',') as MemoryEntry['kind'][]);

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
};

/** The filter that a query names; undefined where it names none. */
export function filterOf({ kinds: some, from, to, validAt, author, sessionId }: Conditions): MemoryFilter | undefined {
  const given = Object.entries({ kinds: some, from, to, validAt, author, sessionId }).filter(
    ([, value]) => value !== undefined,
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
