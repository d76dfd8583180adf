import { TholeError } from '@thole/core';
import { mediaTypeOf } from '@thole/core/kit';
import type { Content } from '@thole/core';

/**
 * Returns the media type of the contents that an AI SDK model rejected with this error. Models reject it before they send
 * a request. Undefined for any other error, and for a type in `known`.
 */
export function findUnreadableType(
  error: unknown,
  contents: readonly Content[],
  known: ReadonlySet<string>,
): string | undefined {
  if (!TholeError.is(error, 'INVALID_INPUT')) return undefined;
  const functionality = error.details?.['functionality'];
  if (typeof functionality !== 'string') return undefined;
  const types = contents.flatMap(({ parts = [] }) =>
    parts
      .flatMap((part) => [part, ...(part.functionResponse?.parts ?? [])])
      .flatMap(({ inlineData, fileData }) => {
        const type = inlineData?.mimeType ?? fileData?.mimeType;
        return type === undefined ? [] : [mediaTypeOf(type)];
      }),
  );
  return types.find((type) => !known.has(type) && functionality.toLowerCase().includes(type));
}
