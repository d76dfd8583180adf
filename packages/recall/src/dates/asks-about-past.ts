const QUESTION =
  /[?？؟]|^\W*(?:(?:so|and|please|hey|hi|ok|okay),? )*(?:what|when|where|who|whom|whose|which|why|how|did|was|were|had|have|has|do you (?:remember|recall|know)|can you|could you|tell|remind|show|recap|summari[sz]e|list|find)\b/i;
const PAST =
  /\b(?:did|was|were|had|been|have|has|happened|said|told|went|last|past|ago|yesterday|before|previous(?:ly)?|earlier|[a-z]{3,}ed)\b/i;
const FUTURE = /\b(?:will|shall|gonna|going to|tomorrow|next|upcoming|should i|let's|plan(?:ning)? (?:to|for))\b/i;

/** True if an English text is a question or request about something that has happened. */
export function asksAboutPast(text: string): boolean {
  return QUESTION.test(text) && PAST.test(text) && !FUTURE.test(text);
}
