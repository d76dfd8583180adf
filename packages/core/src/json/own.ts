/** Sets a member as plain data, including `__proto__`, which an assignment would treat as the prototype. */
export function setOwn<T>(target: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** Returns a member of the object itself. Inherited members (`constructor`, `toString`) are not data. */
export function getOwn<T>(source: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}
