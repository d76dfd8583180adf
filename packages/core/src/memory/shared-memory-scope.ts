import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import { assertName, assertUser } from '../session/assert-name.ts';
import type { UserRef } from '../session/session-service.ts';

/**
 * Names a shared memory: of a team, of an agent, or of an agent within a team. All users of the app who name the
 * same scope read and write the same entries. The entries are not visible in other scopes or in the memory of a user.
 */
export interface SharedMemoryScope {
  team?: string | undefined;
  agent?: string | undefined;
}

/** Stores use user ids with this prefix as keys of scopes. The id of a user must not begin with it. */
const PREFIX = 'thole:scope:';

/**
 * Returns the key under which a store keeps a memory: the key of the scope, or of the user without a scope. Throws
 * `INVALID_INPUT` for invalid names and for a user id with the prefix of scopes.
 */
export function memoryKeyOf(user: UserRef, scope: SharedMemoryScope | undefined): UserRef {
  assertUser(user);
  const { appName, userId } = user;
  if (userId.startsWith(PREFIX)) throw new TholeError('INVALID_INPUT', `userId must not begin with "${PREFIX}".`);
  if (scope === undefined) return { appName, userId };
  assertSharedScope(scope);
  const key = PREFIX + JSON.stringify([scope.team ?? null, scope.agent ?? null]);
  assertName('The key of scope', key);
  return { appName, userId: key };
}

/** Throws `INVALID_INPUT` unless a scope names a team, an agent or both. */
export function assertSharedScope(scope: unknown, argument = 'scope'): asserts scope is SharedMemoryScope {
  if (!isPlainObject(scope)) throw invalidInput(argument, 'an object {team?, agent?}', scope);
  const { team, agent, ...others } = scope;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new TholeError('INVALID_INPUT', `${argument} must have no other members than team and agent.`);
  if (team === undefined && agent === undefined)
    throw new TholeError('INVALID_INPUT', `${argument} must name a team, an agent or both.`);
  if (team !== undefined) assertName(`${argument}.team`, team);
  if (agent !== undefined) assertName(`${argument}.agent`, agent);
}
