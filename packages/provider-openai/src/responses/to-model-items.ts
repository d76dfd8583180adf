import { mediaLine } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { joinMessages } from './join-messages.ts';
import { markOf } from './part-mark.ts';
import { beginItem } from './rebuild-item.ts';
import type { OpenItem } from './rebuild-item.ts';
import { sendableItems } from './sendable-items.ts';
import { toAnswerItem } from './to-answer-item.ts';
import { toInputContent } from './to-input-content.ts';

/** The endpoint, the model's abilities and call ids for `toModelItems`. */
export interface ModelItemsTarget {
  readonly endpoint: Endpoint;
  readonly isStored: boolean;
  readonly takesReasoning: boolean;
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
  let next = 0;
  let isWhole = true;
  parts.forEach((part, i) => {
    const mark = markOf(part, target.endpoint);
    // Missing items of the answer were removed from the history, mostly thoughts.
    if (mark && (mark.item || !open || open.index !== mark.index)) {
      const begin = mark.index - (mark.before?.length ?? 0);
      if ((begin !== next && begin !== 0) || !mark.item) isWhole = false;
      next = mark.index + 1;
    }
    items.push(...(mark?.before ?? []));
    if (mark && open && mark.index === open.index && !mark.item) {
      open.add(part, mark);
    } else {
      const begun = mark?.item && beginItem(part, mark, target.idAt(i));
      open = begun && { ...begun, index: mark.index };
      items.push(...(begun ? [begun.item] : foreign(part, i, target)));
    }
    items.push(...(mark?.after ?? []));
  });
  return sendableItems(joinMessages(items), { ...target, isWhole });
}

/** Converts a part whose item is gone, or a part of another provider. */
function foreign(part: Part, at: number, target: ModelItemsTarget): JsonObject[] {
  const { functionCall: call, functionResponse: answer, executableCode: code, codeExecutionResult: result } = part;
  if (call) {
    const args = call.brokenArgs ?? JSON.stringify(call.args);
    return [{ type: 'function_call', call_id: target.idAt(at) ?? '', name: call.name, arguments: args }];
  }
  if (answer) return [toAnswerItem(answer, target.idAt(at))];
  if (part.thought) return [];
  if (code) return said(`\`\`\`${code.language?.toLowerCase() ?? ''}\n${code.code}\n\`\`\``);
  if (result) return said(`\`\`\`\n${result.output ?? result.outcome ?? ''}\n\`\`\``);
  if (part.text !== undefined) return part.text === '' ? [] : said(part.text);
  // The model's messages cannot hold files, so a user message shows them.
  const content = toInputContent(part);
  const file = part.inlineData ?? part.fileData;
  if (!content) return file ? said(mediaLine(file)) : [];
  return [{ type: 'message', role: 'user', content: [content] }];
}

const said = (text: string): JsonObject[] => [
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
];
