/** Contracts that no case shows yet, each with the reason. One that gets a case must leave the list. */
export const contractGaps: Readonly<Record<number, string>> = {};

/** Contracts that cases show in part. */
export const contractParts: Readonly<Record<number, string>> = {};
