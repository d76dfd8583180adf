import { typeName } from '@thole/core/kit';
import type { z } from 'zod';

const TYPES: { readonly [type: string]: string } = {
  array: 'a list',
  boolean: 'true or false',
  int: 'an integer',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

/**
 * Returns the predicate of an error message for a value that a schema rejects: what the value must be, and the type that it has. Zod
 * calls it for issues without their own message.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  const { code, input } = issue;
  if (code === 'invalid_type') return `must be ${TYPES[issue.expected] ?? issue.expected}, got ${typeName(input)}`;
  if (code === 'invalid_value') {
    const values = issue.values.map((each) => (typeof each === 'string' ? `'${each}'` : String(each)));
    const last = values.pop();
    const choice = values.length === 0 ? last : `${values.join(', ')} or ${last}`;
    return `must be ${choice}, got ${typeof input === 'string' ? 'another string' : typeName(input)}`;
  }
  if (code === 'too_small')
    return issue.origin === 'number' ? `must be at least ${issue.minimum}` : 'must not be empty';
  return 'is invalid';
}
