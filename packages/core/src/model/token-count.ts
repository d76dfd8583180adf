/** Returns a reported number of tokens. Undefined for other values: some servers report -1 for an unknown number. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
