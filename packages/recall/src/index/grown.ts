/** A copy with twice the room. */
export function grown<T extends Float64Array | Int32Array | Uint16Array | Uint8Array>(column: T): T {
  const next = new (column.constructor as new (length: number) => T)(column.length * 2);
  next.set(column as never);
  return next;
}
