/** Sets a member as plain data, `__proto__` too, which an assignment would take for the prototype. */
export function setOwn<T>(target: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** Reads a member that the object itself has; what it inherits (`constructor`, `toString`) is not data. */
export function getOwn<T>(source: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}
