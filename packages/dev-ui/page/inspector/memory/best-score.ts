/** Returns the highest score among memories; 0 without scores. */
export function bestScore(memories: readonly { score?: number | undefined }[]): number {
  return memories.reduce((best, { score = 0 }) => Math.max(best, score), 0);
}
