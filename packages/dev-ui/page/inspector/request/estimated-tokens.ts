/** About how many tokens a text takes, four letters each. To be shown with "≈": what a model counts is its own. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
