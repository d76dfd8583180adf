import { toSendableName } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import type { PartMark } from './part-mark.ts';

/** An item that is being rebuilt. Its further parts are added one by one. */
export interface OpenItem {
  readonly item: JsonObject;
  add(part: Part, mark: PartMark): void;
}

/** Returns the item that begins with this part. Undefined if the part no longer matches its mark. */
export function beginItem(part: Part, mark: PartMark, callId: string | undefined): OpenItem | undefined {
  const original = mark.item!;
  switch (original['type']) {
    case 'message':
      return part.text === undefined || part.thought ? undefined : rebuildMessage(part, mark, original);
    case 'reasoning':
      return part.thought ? rebuildReasoning(part, mark, original) : undefined;
    case 'function_call': {
      const { functionCall: call } = part;
      if (!call || callId === undefined) return undefined;
      const args = call.brokenArgs ?? JSON.stringify(call.args);
      return toClosedItem({ ...original, call_id: callId, name: toSendableName(call.name), arguments: args });
    }
    case 'code_interpreter_call':
      return part.executableCode ? rebuildCode(part.executableCode.code, original) : undefined;
    case 'image_generation_call':
      return part.inlineData ? toClosedItem({ ...original, result: part.inlineData.data }) : undefined;
    default:
      return undefined;
  }
}

/** Returns an item that has only one part. */
const toClosedItem = (item: JsonObject): OpenItem => ({ item, add: () => undefined });

function rebuildMessage(first: Part, mark: PartMark, original: JsonObject): OpenItem {
  const content: JsonObject[] = [];
  const add = (part: Part, { entry = {} }: PartMark): void => {
    if (!part.text) return;
    const { logprobs: _, ...rest } = entry;
    content.push(
      entry['type'] === 'refusal'
        ? { ...rest, refusal: part.text }
        : { type: 'output_text', annotations: [], ...rest, text: part.text },
    );
  };
  add(first, mark);
  return { item: { ...original, role: 'assistant', content }, add };
}

function rebuildReasoning(first: Part, mark: PartMark, original: JsonObject): OpenItem {
  const summary: JsonObject[] = [];
  const content: JsonObject[] = [];
  const item: JsonObject = { ...original, summary };
  const add = (part: Part, { entry = {}, list }: PartMark): void => {
    if (list === 'content') {
      item['content'] = content;
      content.push({ type: 'reasoning_text', ...entry, text: part.text ?? '' });
    } else summary.push({ type: 'summary_text', ...entry, text: part.text ?? '' });
  };
  add(first, mark);
  return { item, add };
}

function rebuildCode(source: string, original: JsonObject): OpenItem {
  const outputs: JsonObject[] = [];
  const item: JsonObject = { ...original, code: source, outputs: null };
  return {
    item,
    add: ({ codeExecutionResult, fileData, inlineData }, { entry }) => {
      if (!entry) return;
      const output = codeExecutionResult
        ? { ...entry, logs: codeExecutionResult.output ?? '' }
        : { ...entry, url: fileData?.fileUri ?? `data:${inlineData?.mimeType};base64,${inlineData?.data}` };
      item['outputs'] = outputs;
      outputs.push(output);
    },
  };
}
