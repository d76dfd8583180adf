/** The id and score of a result. Higher scores are better. */
export interface Scored {
  id: string;
  score: number;
  /** The share of the query's information that was found, from 0 to 1; undefined if the ranking does not compute it. */
  relevance?: number | undefined;
  /** The score's part of each signal; undefined unless requested. */
  explanation?: { readonly [signal: string]: number } | undefined;
}
