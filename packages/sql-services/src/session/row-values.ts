/** The text of a column, which some drivers give as bytes. */
export function columnText(value: unknown): string {
  return typeof value === 'string' ? value : new TextDecoder().decode(value as Uint8Array);
}

/** The same of a column that may be empty. */
export function textOrNothing(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : columnText(value);
}
