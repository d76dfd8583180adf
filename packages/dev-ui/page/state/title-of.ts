import type { Content, Json, SessionSummary } from '@thole/core';

const MAX_LENGTH = 60;

/** Returns a name for a session from its first message: the first line, at most 60 characters. */
export function titleOf(content: Content): string {
  const text = content.parts?.find((part) => part.text?.trim())?.text?.trim() ?? '';
  // A pasted file may be a single line.
  const line = text
    .slice(0, 20 * MAX_LENGTH)
    .split('\n', 1)[0]!
    .replaceAll(/\s+/g, ' ');
  // Counts graphemes, so that an emoji of several code points is not split.
  const graphemes = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  if (graphemes.length <= MAX_LENGTH) return line;
  const cut = graphemes.slice(0, MAX_LENGTH).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > MAX_LENGTH / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** Returns the name that a user gave to a session. Undefined without a name. */
export function displayNameOf(session: Pick<SessionSummary, 'state'>): string | undefined {
  const metadata: Json | undefined = session.state['__session_metadata__'];
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return undefined;
  const name = metadata['displayName'];
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}
