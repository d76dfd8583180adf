/** Whether a hook answered a request itself. By its shape: servers bring Responses of their own class. */
export function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false;
  const { status, headers } = value as Partial<Response>;
  return typeof status === 'number' && typeof headers?.get === 'function';
}
