import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';

/** Names of the tables in SQL, with prefix and schema. */
export interface TableNames {
  readonly meta: string;
  readonly sessions: string;
  readonly events: string;
  readonly appStates: string;
  readonly userStates: string;
  readonly leases: string;
  readonly leaseWaiters: string;
  readonly artifacts: string;
  readonly artifactNames: string;
  readonly memoryScopes: string;
  readonly memoryEntries: string;
  readonly memorySegments: string;
  readonly credentials: string;
}

/** Returns the table names. Throws `INVALID_INPUT` unless prefix and schema are lower-case letters, digits and underscores. */
export function tableNames(prefix: string, schema: string | undefined): TableNames {
  assertIdentifier('tablePrefix', prefix, 30);
  if (schema !== undefined) assertIdentifier('schema', schema, 63);
  const qualified = (name: string): string => `${schema === undefined ? '' : `${schema}.`}${prefix}${name}`;
  return {
    meta: qualified('meta'),
    sessions: qualified('sessions'),
    events: qualified('events'),
    appStates: qualified('app_states'),
    userStates: qualified('user_states'),
    leases: qualified('leases'),
    leaseWaiters: qualified('lease_waiters'),
    artifacts: qualified('artifacts'),
    artifactNames: qualified('artifact_names'),
    memoryScopes: qualified('memory_scopes'),
    memoryEntries: qualified('memory_entries'),
    memorySegments: qualified('memory_segments'),
    credentials: qualified('credentials'),
  };
}

// These names are written into SQL without quotes.
function assertIdentifier(argument: string, value: unknown, maxLength: number): void {
  if (typeof value !== 'string') throw invalidInput(argument, 'a string', value);
  if (value.length > maxLength || !/^[a-z_][a-z0-9_]*$/.test(value)) {
    const rule = `must be 1 to ${maxLength} lower-case letters, digits and underscores, and must not start with a digit`;
    throw new TholeError('INVALID_INPUT', `${argument} ${rule}.`);
  }
}
