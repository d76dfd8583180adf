import { applyRewinds } from '@thole/core/kit';
import type { Event, JsonObject, Part } from '@thole/core';
import { piecesOf } from '../front-ends/pieces-of.ts';
import type { AnswerPiece } from '../front-ends/pieces-of.ts';
import { toAnswerItem } from './answer-item.ts';
import { openAiError } from './open-ai-error.ts';
import { ItemIds } from './response-id.ts';

/** Selects a page of a list of items. */
export interface ItemsQuery {
  /** Id of the last item of the page before. */
  after?: string | undefined;
  /** Default: 20. */
  limit?: number | undefined;
  /** Default: `desc`, the newest item first. */
  order?: 'asc' | 'desc' | undefined;
}

/**
 * Returns the messages and thoughts in the events of a session as items, oldest first. Rewound events, tool calls and their results are
 * left out. The items of an answer have the ids that its response has.
 */
export function toItems(events: readonly Event[], sessionId: string): JsonObject[] {
  const ids = new ItemIds(sessionId);
  return applyRewinds(events).flatMap((event): JsonObject[] => {
    const { author, id: eventId, invocationId } = event;
    const place = { eventId, invocationId };
    if (author === 'system') return [];
    if (author !== 'user')
      return joinPieces(piecesOf(event)).map(({ text, type }) =>
        toAnswerItem({ id: ids.next(type === 'text' ? 'msg' : 'rs', place), text, type }),
      );
    const content = (event.content?.parts ?? []).flatMap(toInputPart);
    if (content.length === 0) return [];
    return [{ id: ids.next('msg', place), type: 'message', status: 'completed', role: 'user', content }];
  });
}

/** Returns a page of items in the form of a list of OpenAI. Throws `INVALID_INPUT` if no item has the id `after`. */
export function pageOf(items: readonly JsonObject[], { after, limit = 20, order = 'desc' }: ItemsQuery): JsonObject {
  const ordered = order === 'asc' ? items : items.toReversed();
  const start = after ? ordered.findIndex(({ id }) => id === after) + 1 : 0;
  if (after && start === 0)
    throw openAiError('after must be the id of an item of the conversation.', { param: 'after' });
  return toItemList(ordered.slice(start, start + limit), start + limit < ordered.length);
}

/** Returns items in the form of a list of OpenAI. */
export function toItemList(data: JsonObject[], hasMore: boolean): JsonObject {
  const [firstId, lastId] = [data[0], data.at(-1)].map((item) => item?.['id'] ?? '');
  return { object: 'list', data, first_id: firstId!, last_id: lastId!, has_more: hasMore };
}

/** Joins pieces of the same type in a row, as a response does. */
function joinPieces(pieces: readonly AnswerPiece[]): AnswerPiece[] {
  const joined: AnswerPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.type === piece.type) joined[joined.length - 1] = { ...last, text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}

function toInputPart({ fileData, inlineData, text }: Part): JsonObject[] {
  if (text !== undefined) return [{ type: 'input_text', text }];
  const file = inlineData ?? fileData;
  if (!file) return [];
  const url = inlineData ? `data:${inlineData.mimeType};base64,${inlineData.data}` : fileData!.fileUri;
  if (file.mimeType?.startsWith('image/')) return [{ type: 'input_image', image_url: url, detail: 'auto' }];
  const { displayName: filename } = file;
  return [
    { type: 'input_file', [inlineData ? 'file_data' : 'file_url']: url, ...(filename !== undefined && { filename }) },
  ];
}
