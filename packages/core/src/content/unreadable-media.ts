import type { Content, FileData, InlineData } from './content.ts';

/** First text of a content in which the runner tells an agent what another agent has done. */
export const OTHER_AGENT_HEADING = 'Context, from another agent:';

/**
 * Returns the index of the user's newest message, -1 if there is none. This is the last content that neither a model nor another
 * agent wrote and that contains more than answers to calls. Contents after answers do not count: tools such as
 * `load_artifacts` add them. A provider rejects media that it cannot send in this message only. Elsewhere it sends `mediaLine` instead,
 * so that one file does not make the run or every later turn fail.
 */
export function newestUserContent(contents: readonly Content[]): number {
  const newest = contents.findLastIndex(
    ({ role, parts = [] }) =>
      role !== 'model' &&
      parts[0]?.text !== OTHER_AGENT_HEADING &&
      parts.some((part) => part.functionResponse === undefined),
  );
  const lastBefore = contents.findLast(
    ({ role, parts = [] }, i) => i < newest && (role === 'model' || parts.some((part) => part.functionResponse)),
  );
  return lastBefore && lastBefore.role !== 'model' ? -1 : newest;
}

/** Returns the line of text that replaces media that the model cannot receive. */
export function mediaLine(media: InlineData | FileData): string {
  const { mimeType, displayName } = media;
  const type = mimeType ? `of type ${mimeType}` : 'of unknown type';
  const name = displayName ? ` named "${displayName.replaceAll(/[\r\n"\]]/g, ' ')}"` : '';
  return `[A file ${type}${name} is not shown: this model cannot read it.]`;
}
