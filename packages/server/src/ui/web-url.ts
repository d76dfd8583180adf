/** Returns a URL that a page may link to. Undefined for schemes other than http and https, such as `javascript:`. */
export function webUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value)) return undefined;
  return URL.canParse(value) ? value : undefined;
}
