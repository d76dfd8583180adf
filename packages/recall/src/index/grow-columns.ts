type Column = Float64Array | Int32Array | Uint16Array | Uint8Array;

/** Returns a copy of a column with twice the length. */
export function growColumn<T extends Column>(column: T): T {
  const next = new (column.constructor as new (length: number) => T)(column.length * 2);
  next.set(column as never);
  return next;
}

/** Replaces the named columns of a table by copies with twice the length. */
export function growColumns<N extends string>(table: { [name in N]: Column }, names: readonly N[]): void {
  const columns: { [name: string]: Column } = table;
  for (const name of names) columns[name] = growColumn(columns[name]!);
}
