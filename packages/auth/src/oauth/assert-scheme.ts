import type { AuthScheme } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';

/** Throws `INVALID_INPUT` for members of a scheme whose type is wrong. */
export function assertScheme(scheme: AuthScheme): void {
  const isString = (value: unknown): boolean => typeof value === 'string';
  if (scheme.type === 'http' && !isString(scheme.scheme))
    throw invalidInput('authScheme.scheme', 'a string such as bearer', scheme.scheme);
  if (scheme.type === 'openIdConnect') {
    const scopes: unknown = scheme.scopes;
    const isList = scopes === undefined || (Array.isArray(scopes) && scopes.every(isString));
    if (!isList) throw invalidInput('authScheme.scopes', 'a list of strings', scopes);
  }
  if (scheme.type !== 'oauth2') return;
  for (const [name, flow] of Object.entries(scheme.flows) as [string, unknown][]) {
    if (flow === undefined) continue;
    if (!isPlainObject(flow)) throw invalidInput(`authScheme.flows.${name}`, 'an object', flow);
    const { scopes } = flow;
    if (scopes !== undefined && !isPlainObject(scopes))
      throw invalidInput(`authScheme.flows.${name}.scopes`, 'an object of scopes and their descriptions', scopes);
  }
}
