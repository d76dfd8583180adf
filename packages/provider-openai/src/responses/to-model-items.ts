import { codeText, mediaLine, toSendableName } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { joinMessages } from './join-messages.ts';
import { readMark } from './part-mark.ts';
import { beginItem } from './rebuild-item.ts';
import type { OpenItem } from './rebuild-item.ts';
import { sendableItems } from './sendable-items.ts';
import { toAnswerItem } from './to-answer-item.ts';
import { toInputContent } from './to-input-content.ts';

/** The endpoint, the model's abilities and call ids for `toModelItems`. */
export interface ModelItemsTarget {
  readonly endpoint: Endpoint;
  readonly isStored: boolean;
  readonly acceptsReasoning: boolean;
  /** Returns the id of the call at this index. */
  idAt(part: number): string | undefined;
}

/**
 * Returns a content of the model as items. Parts of this endpoint become their original items. Of other parts, text,
 * calls, code (as text) and files are sent, never thoughts or marks.
 */
export function toModelItems(parts: readonly Part[], target: ModelItemsTarget): JsonObject[] {
  const items: JsonObject[] = [];
  let open: (OpenItem & { readonly index: number }) | undefined;
  let expectedIndex = 0;
  let isComplete = true;
  parts.forEach((part, i) => {
    const mark = readMark(part, target.endpoint);
    // A gap in the indexes means that items, mostly thoughts, were removed from the history.
    if (mark && (mark.item || !open || open.index !== mark.index)) {
      const begin = mark.index - (mark.before?.length ?? 0);
      if ((begin !== expectedIndex && begin !== 0) || !mark.item) isComplete = false;
      expectedIndex = mark.index + 1;
    }
    items.push(...(mark?.before ?? []));
    if (mark && open && mark.index === open.index && !mark.item) {
      open.add(part, mark);
    } else {
      const begun = mark?.item && beginItem(part, mark, target.idAt(i));
      open = begun && { ...begun, index: mark.index };
      items.push(...(begun ? [begun.item] : toPlainItems(part, i, target)));
    }
    items.push(...(mark?.after ?? []));
  });
  return sendableItems(joinMessages(items), { ...target, isComplete });
}

/** Converts a part of another provider, or a part whose item cannot be rebuilt. */
function toPlainItems(part: Part, index: number, target: ModelItemsTarget): JsonObject[] {
  const { functionCall: call, functionResponse: answer } = part;
  const code = codeText(part);
  if (call) {
    const args = call.brokenArgs ?? JSON.stringify(call.args);
    return [
      { type: 'function_call', call_id: target.idAt(index) ?? '', name: toSendableName(call.name), arguments: args },
    ];
  }
  if (answer) return [toAnswerItem(answer, target.idAt(index))];
  if (part.thought) return [];
  if (code !== undefined) return toAssistantMessage(code);
  if (part.text !== undefined) return part.text === '' ? [] : toAssistantMessage(part.text);
  // Messages of the model cannot contain files, so they are sent in a user message.
  const content = toInputContent(part);
  const file = part.inlineData ?? part.fileData;
  if (!content) return file ? toAssistantMessage(mediaLine(file)) : [];
  return [{ type: 'message', role: 'user', content: [content] }];
}

const toAssistantMessage = (text: string): JsonObject[] => [
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
];
