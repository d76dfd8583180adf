import { camelCaseKeys } from './camel-case-keys.ts';

/**
 * Returns the query parameters of a URL, with names in camelCase. Parameters in `repeatable` become lists. If another parameter
 * occurs several times, its last value is used.
 */
export function parseQuery(url: string, repeatable: readonly string[] = []): unknown {
  const start = url.indexOf('?');
  if (start < 0) return {};
  const search = new URLSearchParams(url.slice(start + 1));
  const lists = repeatable.filter((name) => search.has(name)).map((name) => [name, search.getAll(name)] as const);
  return camelCaseKeys({ ...Object.fromEntries(search), ...Object.fromEntries(lists) });
}
