/** Contracts without a test case, each with the reason. Remove a contract when it gets a case. */
export const contractGaps: Readonly<Record<number, string>> = {};

/** Contracts of which cases test only a part, each with the missing part. */
export const contractParts: Readonly<Record<number, string>> = {};
