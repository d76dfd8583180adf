import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';

/** The tables by what is in them, each as it is written in SQL. */
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
}

/** Names with their prefix and schema. `INVALID_INPUT` unless both are lower-case letters, digits and underscores. */
export function tableNames(prefix: string, schema: string | undefined): TableNames {
  assertIdentifier('tablePrefix', prefix, 30);
  if (schema !== undefined) assertIdentifier('schema', schema, 63);
  const named = (name: string): string => `${schema === undefined ? '' : `${schema}.`}${prefix}${name}`;
  return {
    meta: named('meta'),
    sessions: named('sessions'),
    events: named('events'),
    appStates: named('app_states'),
    userStates: named('user_states'),
    leases: named('leases'),
    leaseWaiters: named('lease_waiters'),
    artifacts: named('artifacts'),
    artifactNames: named('artifact_names'),
    memoryScopes: named('memory_scopes'),
    memoryEntries: named('memory_entries'),
    memorySegments: named('memory_segments'),
  };
}

// Written into SQL as they are, so nothing that would need quotes is taken.
function assertIdentifier(argument: string, value: unknown, most: number): void {
  if (typeof value !== 'string') throw invalidInput(argument, 'a string', value);
  if (value.length > most || !/^[a-z_][a-z0-9_]*$/.test(value)) {
    const rule = `must begin with a-z or _, go on with those and 0-9, and have at most ${most} characters`;
    throw new TholeError('INVALID_INPUT', `${argument} ${rule}.`);
  }
}
