type Column = Float64Array | Int32Array | Uint16Array | Uint8Array;

/** A copy with twice the room. */
export function growColumn<T extends Column>(column: T): T {
  const next = new (column.constructor as new (length: number) => T)(column.length * 2);
  next.set(column as never);
  return next;
}

/** Gives these columns of a table twice the room. */
export function growColumns<N extends string>(table: { [name in N]: Column }, names: readonly N[]): void {
  const columns: { [name: string]: Column } = table;
  for (const name of names) columns[name] = growColumn(columns[name]!);
}
