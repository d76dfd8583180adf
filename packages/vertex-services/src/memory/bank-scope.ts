import { memoryKeyOf } from '@thole/core/kit';
import type { MemoryRef } from '@thole/core';

/** A scope of Memory Bank. A search finds only memories whose scope has exactly the same members. */
export type BankScope = { readonly [name: string]: string };

/**
 * Returns the scope of a user, `{app_name, user_id}` as in ADK, or of a shared scope. Throws `INVALID_INPUT` for invalid
 * names.
 */
export function bankScopeOf(p: MemoryRef): BankScope {
  memoryKeyOf(p, p.scope);
  const app_name = encodeName(p.appName);
  if (!p.scope) return { app_name, user_id: encodeName(p.userId) };
  const { team, agent } = p.scope;
  return {
    app_name,
    ...(team !== undefined && { team: encodeName(team) }),
    ...(agent !== undefined && { agent: encodeName(agent) }),
  };
}

/** Returns a unique text of a scope. */
export function bankScopeKey(scope: BankScope): string {
  return JSON.stringify(Object.entries(scope).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** True if two scopes have the same members. */
export function isSameScope(a: BankScope, b: unknown): boolean {
  return typeof b === 'object' && b !== null && bankScopeKey(a) === bankScopeKey(b as BankScope);
}

// The service does not accept `*` in the values of a scope.
function encodeName(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('*', '%2A');
}
