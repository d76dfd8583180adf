import type { Content, FileData, InlineData } from './content.ts';

/**
 * Returns the index of the user's newest message, -1 if there is none. This is the last content that the model did not write
 * and that contains more than answers to calls. A provider rejects media that it cannot send in this message only. In older
 * messages it sends `mediaLine` instead, so that one attachment does not make every later turn fail.
 */
export function newestUserContent(contents: readonly Content[]): number {
  return contents.findLastIndex(
    ({ role, parts = [] }) => role !== 'model' && parts.some((part) => part.functionResponse === undefined),
  );
}

/** Returns the line of text that replaces media that the model cannot receive. */
export function mediaLine(media: InlineData | FileData): string {
  const { mimeType, displayName } = media;
  const type = mimeType ? `of type ${mimeType}` : 'of unknown type';
  const name = displayName ? ` named "${displayName.replaceAll(/[\r\n"\]]/g, ' ')}"` : '';
  return `[A file ${type}${name} is not shown: this model cannot read it.]`;
}
