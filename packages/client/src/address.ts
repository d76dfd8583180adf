import { ClientError } from './client-error.ts';

/** What stands behind the `?`; what is undefined is left out. */
export type Query = { readonly [name: string]: string | number | boolean | undefined };

/**
 * A path with names in it, each encoded: a slash in one does not part it. `INVALID_INPUT` for what cannot stand in an address: no
 * text, lone surrogates, and `.` and `..`, which every platform takes for steps however they are encoded.
 */
export function at(strings: TemplateStringsArray, ...names: readonly unknown[]): string {
  return String.raw({ raw: strings }, ...names.map((name, i) => encode(name, strings[i]!)));
}

/** `?a=1&b=2`, or nothing. */
export function queryOf(query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return pairs.length ? `?${new URLSearchParams(pairs as [string, string][]).toString()}` : '';
}

function encode(name: unknown, before: string): string {
  if (typeof name === 'string' && !/^\.{0,2}$/.test(name)) {
    try {
      return encodeURIComponent(name);
    } catch {
      // Lone surrogates.
    }
  }
  throw new ClientError(`What stands after ${before} must be a well-formed text, and neither empty nor . or ..`, {
    code: 'INVALID_INPUT',
  });
}
