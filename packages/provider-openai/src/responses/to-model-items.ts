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

/** What `toModelItems` needs to know. */
export interface ModelItemsTarget {
  readonly endpoint: Endpoint;
  readonly isStored: boolean;
  readonly takesReasoning: boolean;
  /** The id of the call at this place. */
  idAt(part: number): string | undefined;
}

/**
 * A content of the model as items. Parts that this provider made become the items they were; of others' parts the text, the calls,
 * the code (as text) and the files are sent, never thoughts or marks.
 */
export function toModelItems(parts: readonly Part[], target: ModelItemsTarget): JsonObject[] {
  const items: JsonObject[] = [];
  let open: (OpenItem & { readonly index: number }) | undefined;
  let next = 0;
  let isWhole = true;
  parts.forEach((part, i) => {
    const mark = markOf(part, target.endpoint);
    // Items of the answer that are missing here were taken out of the history, thoughts above all.
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

/** A part that is nobody's item any more, or another provider's. */
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
  // An answer of the model's cannot hold files, so the user shows them.
  const content = toInputContent(part);
  const file = part.inlineData ?? part.fileData;
  if (!content) return file ? said(mediaLine(file)) : [];
  return [{ type: 'message', role: 'user', content: [content] }];
}

const said = (text: string): JsonObject[] => [
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
];
