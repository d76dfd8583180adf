/** True if `a` comes before `b` among entries with equal scores: newer first, then the smaller id. */
export function isNewer(a: Dated, b: Dated): boolean {
  return a.timestamp === b.timestamp ? a.id < b.id : a.timestamp > b.timestamp;
}

interface Dated {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}
