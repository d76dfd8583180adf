/** The highest score among memories; 0 where none has one. */
export function bestScore(memories: readonly { score?: number | undefined }[]): number {
  return memories.reduce((best, { score = 0 }) => Math.max(best, score), 0);
}
