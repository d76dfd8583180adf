import type { Content, Json, SessionSummary } from '@thole/core';

const LONGEST = 60;

/** Returns a session's name from its first message: the first line, shortened to a list's width. */
export function titleOf(content: Content): string {
  const text = content.parts?.find((part) => part.text?.trim())?.text?.trim() ?? '';
  const line = text.split('\n', 1)[0]!.replaceAll(/\s+/g, ' ');
  // By grapheme: an emoji of several code points is not split.
  const letters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  if (letters.length <= LONGEST) return line;
  const cut = letters.slice(0, LONGEST).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > LONGEST / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** Returns the name that was given to a session. Undefined without one. */
export function displayNameOf(session: Pick<SessionSummary, 'state'>): string | undefined {
  const metadata: Json | undefined = session.state['__session_metadata__'];
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return undefined;
  const name = metadata['displayName'];
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}
