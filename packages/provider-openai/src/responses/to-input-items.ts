import type { Content, JsonObject, Part } from '@thole/core';
import { joinMessages } from './join-messages.ts';
import { pairCalls } from './pair-calls.ts';
import { toAnswerItem, toPendingItem } from './to-answer-item.ts';
import { toInputContent } from './to-input-content.ts';
import { toModelItems } from './to-model-items.ts';

/** For whom the input is. */
export interface InputTarget {
  readonly provider: string;
  /** Whether the server keeps items: then it knows reasoning by its id, without its encrypted content. */
  readonly isStored: boolean;
  /** Whether the model may be sent reasoning. */
  readonly takesReasoning: boolean;
  /** Whether the server has the history up to the model's last content, so that only what came after it is sent. */
  readonly isContinued: boolean;
}

/**
 * The history as input items. Every call has an answer in it: where there is none yet, one that says so stands right behind the
 * calls. An answer without a call is told as text.
 */
export function toInputItems(contents: readonly Content[], target: InputTarget): JsonObject[] {
  const paired = pairCalls(contents);
  const sent = target.isContinued ? contents.findLastIndex(({ role }) => role === 'model') : -1;
  const items = contents.flatMap((content, at) => {
    if (at < sent) return [];
    const pending = paired.openIn(at).map(toPendingItem);
    if (at === sent) return pending;
    const idAt = (part: number): string | undefined => paired.idAt(at, part);
    const where = `contents[${at}]`;
    const { role, parts = [] } = content;
    if (role === 'model') return [...toModelItems(parts, { ...target, where, idAt }), ...pending];
    return joinMessages(parts.flatMap((part, i) => toUserItem(part, `${where}.parts[${i}]`, idAt(i))));
  });
  return items;
}

function toUserItem(part: Part, where: string, callId: string | undefined): JsonObject[] {
  if (part.functionResponse) return [toAnswerItem(part.functionResponse, callId)];
  if (part.thought) return [];
  const content = toInputContent(part, where);
  return content ? [{ type: 'message', role: 'user', content: [content] }] : [];
}
