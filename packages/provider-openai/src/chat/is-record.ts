/** A JSON object, of what came out of a JSON text: nothing else is an object there but a list. Asked several times a chunk. */
export function isRecord(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
