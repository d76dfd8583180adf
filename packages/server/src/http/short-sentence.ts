const MOST = 500;

/** What an error says, for a client: what names a key of its own may be as long as that. */
export function shortSentence(sentence: string): string {
  return sentence.length <= MOST ? sentence : `${sentence.slice(0, MOST).toWellFormed()}…`;
}
