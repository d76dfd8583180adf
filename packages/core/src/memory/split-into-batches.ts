import { estimateTokens } from './estimate-tokens.ts';

/**
 * Returns the texts in order, in batches of at most `maxTexts` texts (default: no limit) and `maxTokens` estimated tokens. A text with
 * more tokens is a separate batch.
 */
export function splitIntoBatches(
  texts: readonly string[],
  { maxTexts = Infinity, maxTokens }: { maxTexts?: number; maxTokens: number },
): string[][] {
  const batches: string[][] = [];
  let tokens = 0;
  for (const text of texts) {
    const textTokens = estimateTokens(text);
    const last = batches.at(-1);
    const fits = last !== undefined && last.length < maxTexts && tokens + textTokens <= maxTokens;
    if (fits) last.push(text);
    else batches.push([text]);
    tokens = fits ? tokens + textTokens : textTokens;
  }
  return batches;
}
