/**
 * Returns the text at a position of a generated conversation: the user and the agent in turn, one or two sentences
 * each.
 */
export function textAt(index: number): string {
  const said =
    index % 2 === 0
      ? 'I would like a quiet room on a high floor, if there is one left for the last week of the month.'
      : 'There are two such rooms. The first looks over the park and the second has a balcony. Which do you prefer?';
  return `${said} (${index})`;
}

/** The message and the answer of every measured turn. */
export const question = 'The one with the balcony, please.';
export const answer = 'It is booked for you.';
export const instruction = 'You are the concierge of a hotel. Be kind and brief.';
