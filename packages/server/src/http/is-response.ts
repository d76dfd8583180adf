/** True for a `Response`. Checked by shape, because server libraries have their own `Response` classes. */
export function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false;
  const { status, headers } = value as Partial<Response>;
  return typeof status === 'number' && typeof headers?.get === 'function';
}
