import type { Content, Json, SessionSummary } from '@thole/core';

const LONGEST = 60;

/** A session's name after its first message: its first line, not longer than a list shows. */
export function titleOf(content: Content): string {
  const text = content.parts?.find((part) => part.text?.trim())?.text?.trim() ?? '';
  const line = text.split('\n', 1)[0]!.replaceAll(/\s+/g, ' ');
  // By what readers call a letter: an emoji of several signs is not cut in two.
  const letters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  if (letters.length <= LONGEST) return line;
  const cut = letters.slice(0, LONGEST).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > LONGEST / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** The name that was given to a session; undefined without one. */
export function displayNameOf(session: Pick<SessionSummary, 'state'>): string | undefined {
  const metadata: Json | undefined = session.state['__session_metadata__'];
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return undefined;
  const name = metadata['displayName'];
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}
