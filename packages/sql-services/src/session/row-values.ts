/** Returns the text of a column. Some drivers return it as bytes. */
export function columnText(value: unknown): string {
  return typeof value === 'string' ? value : new TextDecoder().decode(value as Uint8Array);
}

/** Returns the text of a column, or undefined if the column is NULL. */
export function columnTextOrUndefined(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : columnText(value);
}
