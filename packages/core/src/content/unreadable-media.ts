import type { Content, FileData, InlineData } from './content.ts';

/**
 * Returns the index of the newest message of the user: the last content that is not the model's and holds more than answers to
 * calls. -1 if there is none. A provider refuses media that it cannot send only there; elsewhere it sends `mediaLine`, so that
 * one attachment does not make every later turn fail.
 */
export function newestUserContent(contents: readonly Content[]): number {
  return contents.findLastIndex(
    ({ role, parts = [] }) => role !== 'model' && parts.some((part) => part.functionResponse === undefined),
  );
}

/** Returns the line of text that a model reads in place of media that it cannot be sent. */
export function mediaLine(media: InlineData | FileData): string {
  const { mimeType, displayName } = media;
  const type = mimeType ? `of type ${mimeType}` : 'of unknown type';
  const name = displayName ? ` named "${displayName.replaceAll(/[\r\n"\]]/g, ' ')}"` : '';
  return `[A file ${type}${name} is not shown: this model cannot read it.]`;
}
