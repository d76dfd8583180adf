/** True for a promise. Used to avoid an `await` for stores that return values synchronously. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}
