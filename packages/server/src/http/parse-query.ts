import { camelCaseKeys } from './camel-case-keys.ts';

/**
 * Returns the query parameters of an address, with names in camelCase. Of a parameter that occurs several times the
 * last value is used, except for `repeatable` parameters, which become lists.
 */
export function parseQuery(url: string, repeatable: readonly string[] = []): unknown {
  const start = url.indexOf('?');
  if (start < 0) return {};
  const search = new URLSearchParams(url.slice(start + 1));
  const lists = repeatable.filter((name) => search.has(name)).map((name) => [name, search.getAll(name)] as const);
  return camelCaseKeys({ ...Object.fromEntries(search), ...Object.fromEntries(lists) });
}
