/** True for a JSON object in parsed JSON, where only lists are other objects. Called several times per chunk. */
export function isRecord(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
