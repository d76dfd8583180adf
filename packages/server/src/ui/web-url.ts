/** Returns an address that a page may link to. Undefined for other schemes, such as `javascript:`. */
export function webUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value)) return undefined;
  return URL.canParse(value) ? value : undefined;
}
