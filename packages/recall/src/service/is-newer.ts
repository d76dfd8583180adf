/** Which of two equals stands first: the newer one, then the one whose id is smaller. */
export function isNewer(a: Dated, b: Dated): boolean {
  return a.timestamp === b.timestamp ? a.id < b.id : a.timestamp > b.timestamp;
}

interface Dated {
  readonly id: string;
  /** Seconds. */
  readonly timestamp: number;
}
