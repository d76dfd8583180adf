/** True for a promise. Code that calls it waits only for stores that answer with promises. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}
