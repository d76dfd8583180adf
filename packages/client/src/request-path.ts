import { invalid } from './assert-client-options.ts';

/** Query parameters. Undefined values are left out. A list is sent as a repeated parameter. */
export type Query = { readonly [name: string]: string | number | boolean | readonly string[] | undefined };

/**
 * A template tag that returns a path in which each name is percent-encoded, slashes included. Throws `INVALID_INPUT`
 * for a name that cannot be in a path: an empty one, lone surrogates, and `.` and `..`, which platforms resolve even if
 * they are encoded.
 */
export function path(strings: TemplateStringsArray, ...names: readonly unknown[]): string {
  return String.raw({ raw: strings }, ...names.map((name, i) => encode(name, strings[i]!)));
}

/** Returns `?a=1&b=2`, or an empty string. */
export function queryString(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, String(each)]),
  );
  const text = new URLSearchParams(pairs).toString();
  return text && `?${text}`;
}

function encode(name: unknown, precedingText: string): string {
  if (typeof name === 'string' && !/^\.{0,2}$/.test(name)) {
    try {
      return encodeURIComponent(name);
    } catch {
      // The name has a lone surrogate.
    }
  }
  throw invalid(`The name after ${precedingText} must be well-formed text that is not empty, "." or "..".`);
}
