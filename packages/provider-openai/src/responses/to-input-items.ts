import { TholeError } from '@thole/core';
import { newestUserContent, mediaLine, pairCalls, sendableCallIds } from '@thole/core/kit';
import type { Content, InlineData, JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
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
  readonly acceptsReasoning: boolean;
  /** True if the server has the history up to the model's last content, so that only later contents are sent. */
  readonly isContinued: boolean;
}

/** OpenAI rejects longer ids. */
const VALID_ID = /^.{1,64}$/s;

/**
 * Returns the history as input items. Every call has one answer: its last answer, or a pending answer directly
 * after the calls. An answer without a call becomes text. Throws `INVALID_INPUT` for unsupported media in the user's newest
 * message; elsewhere a line of text names their type.
 */
export function toInputItems(contents: readonly Content[], target: InputTarget): JsonObject[] {
  const paired = pairCalls(contents);
  const ids = sendableCallIds(paired, VALID_ID);
  const newest = newestUserContent(contents);
  const answered = new Set<string>();
  const lastStored = target.isContinued ? contents.findLastIndex(({ role }) => role === 'model') : -1;

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
    const input =
      toInputContent(part) ?? replaceUnsupported(part, content === newest, `contents[${content}].parts[${at}]`);
    return input ? [{ type: 'message', role: 'user', content: [input] }] : [];
  };

  return contents.flatMap(({ role, parts = [] }, content) => {
    if (content < lastStored) return [];
    const pending = paired.openIn(content).map((pair) => toPendingItem(ids.get(pair)!));
    if (content === lastStored) return pending;
    if (role !== 'model') return joinMessages(parts.flatMap((part, at) => toUserItem(part, content, at)));
    const idAt = (at: number): string | undefined => {
      const pair = paired.at(content, at);
      return pair && ids.get(pair);
    };
    return [...toModelItems(parts, { ...target, idAt }), ...pending];
  });
}

/** Returns a line of text for an unsupported file. Throws `INVALID_INPUT` in the newest message. */
function replaceUnsupported(part: Part, isNewest: boolean, location: string): JsonObject | undefined {
  const file = part.inlineData ?? part.fileData;
  if (!file) return undefined;
  if (!isNewest) return { type: 'input_text', text: mediaLine(file) };
  const { inlineData } = part;
  const description = inlineData ? describeData(inlineData) : describeFile(part.fileData!);
  throw new TholeError('INVALID_INPUT', `OpenAI’s Responses API does not accept ${description} (${location}).`);
}

const describeData = ({ mimeType, data }: InlineData): string =>
  `${data === '' ? 'empty data' : 'data'} of type ${mimeType}`;

function describeFile({ fileUri, mimeType }: { fileUri: string; mimeType?: string | undefined }): string {
  const scheme = /^(https?|data|file-)/i.test(fileUri) ? undefined : fileUri.replace(/:.*$/s, '');
  if (scheme === undefined) return `files of type ${mimeType ?? 'unknown'}`;
  return `a file at a ${scheme}: address (${mimeType ?? 'unknown type'})`;
}
