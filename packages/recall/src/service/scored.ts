/** The id of an entry that was found, with its score. Higher scores are better. */
export interface Scored {
  id: string;
  score: number;
  /** The share of the query's information that was found, from 0 to 1; undefined if the ranking does not know it. */
  relevance?: number | undefined;
  /** What each signal added to the score, if asked for. */
  explanation?: { readonly [signal: string]: number } | undefined;
}
