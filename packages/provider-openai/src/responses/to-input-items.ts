import { TholeError } from '@thole/core';
import { newestUserContent, mediaLine, pairCalls } from '@thole/core/kit';
import type { Content, JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { callIdsOf } from './call-ids.ts';
import { joinMessages } from './join-messages.ts';
import { toAnswerItem, toPendingItem } from './to-answer-item.ts';
import { toInputContent } from './to-input-content.ts';
import { toModelItems } from './to-model-items.ts';

/** The model and server that receive the input. */
export interface InputTarget {
  readonly endpoint: Endpoint;
  /** True if the server stores items: it then knows reasoning by its id, without encrypted content. */
  readonly isStored: boolean;
  /** True if reasoning may be sent to the model. */
  readonly takesReasoning: boolean;
  /** True if the server has the history up to the model's last content, so that only later contents are sent. */
  readonly isContinued: boolean;
}

/**
 * Returns the history as input items. Every call has one answer: the last one, or directly after the calls a pending
 * answer. An answer without a call becomes text. Throws `INVALID_INPUT` for unsupported media in the user's newest
 * message; elsewhere a line of text names their type.
 */
export function toInputItems(contents: readonly Content[], target: InputTarget): JsonObject[] {
  const paired = pairCalls(contents);
  const ids = callIdsOf(paired);
  const newest = newestUserContent(contents);
  const answered = new Set<string>();
  const sent = target.isContinued ? contents.findLastIndex(({ role }) => role === 'model') : -1;

  const toUserItem = (part: Part, content: number, at: number): JsonObject[] => {
    if (part.functionResponse) {
      const pair = paired.at(content, at);
      if (!pair) return [toAnswerItem(part.functionResponse, undefined)];
      const id = ids.get(pair)!;
      if (answered.has(id)) return [];
      answered.add(id);
      return [toAnswerItem(pair.answer!, id)];
    }
    if (part.thought) return [];
    const input = toInputContent(part) ?? unreadable(part, content === newest, `contents[${content}].parts[${at}]`);
    return input ? [{ type: 'message', role: 'user', content: [input] }] : [];
  };

  return contents.flatMap(({ role, parts = [] }, content) => {
    if (content < sent) return [];
    const pending = paired.openIn(content).map((pair) => toPendingItem(ids.get(pair)!));
    if (content === sent) return pending;
    if (role !== 'model') return joinMessages(parts.flatMap((part, at) => toUserItem(part, content, at)));
    const idAt = (at: number): string | undefined => {
      const pair = paired.at(content, at);
      return pair && ids.get(pair);
    };
    return [...toModelItems(parts, { ...target, idAt }), ...pending];
  });
}

function unreadable(part: Part, isNewest: boolean, where: string): JsonObject | undefined {
  const file = part.inlineData ?? part.fileData;
  if (!file) return undefined;
  if (!isNewest) return { type: 'input_text', text: mediaLine(file) };
  const what = part.inlineData ? `data of type ${part.inlineData.mimeType}` : fileOf(part.fileData!);
  throw new TholeError('INVALID_INPUT', `OpenAI’s Responses API does not accept ${what} (${where}).`);
}

function fileOf({ fileUri, mimeType }: { fileUri: string; mimeType?: string | undefined }): string {
  const scheme = /^(https?|data|file-)/i.test(fileUri) ? undefined : fileUri.replace(/:.*$/s, '');
  if (scheme === undefined) return `files of type ${mimeType ?? 'unknown'}`;
  return `a file by ${scheme} (${mimeType ?? 'of no type'})`;
}
