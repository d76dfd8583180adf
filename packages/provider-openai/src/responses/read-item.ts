import { isPlainObject, readCallArgs } from '@thole/core/kit';
import type { Json, JsonObject, Part } from '@thole/core';

/** A part, and the entry of the item that it was read from. */
export interface Piece {
  readonly part: Part;
  readonly entry?: JsonObject | undefined;
  readonly list?: string | undefined;
}

/** The parts of an item. */
export interface ReadItem {
  /** The item without the content of its pieces. Undefined if the complete item must be kept unchanged. */
  readonly item?: JsonObject | undefined;
  readonly pieces: readonly Piece[];
  /** Pieces of an unknown type. */
  readonly unknown?: JsonObject[] | undefined;
}

/**
 * Returns the item as parts: none for an unknown type, a call that the provider ran itself, or reasoning without
 * text.
 */
export function readItem(raw: JsonObject): ReadItem {
  switch (raw['type']) {
    case 'message':
      return readMessage(raw);
    case 'reasoning':
      return readReasoning(raw);
    case 'function_call':
      return readCall(raw);
    case 'code_interpreter_call':
      return readCode(raw);
    case 'image_generation_call':
      return readImage(raw);
    default:
      return UNCHANGED;
  }
}

const UNCHANGED: ReadItem = { pieces: [] };

function readMessage({ content, ...item }: JsonObject): ReadItem {
  const entries = typeof content === 'string' ? [{ type: 'output_text', text: content }] : objectsIn(content);
  const pieces: Piece[] = [];
  const unknown: JsonObject[] = [];
  for (const each of entries) {
    const { text, refusal, ...entry } = each;
    const words = entry['type'] === 'refusal' ? refusal : text;
    if (typeof words !== 'string') unknown.push(each);
    else if (words !== '') pieces.push({ part: { text: words }, entry: withoutEmptyLists(entry) });
  }
  return { item, pieces, unknown };
}

function readReasoning(raw: JsonObject): ReadItem {
  const { summary, content, ...item } = raw;
  const pieces = [
    ...objectsIn(summary).map((entry) => toThought(entry, 'summary')),
    ...objectsIn(content).map((entry) => toThought(entry, 'content')),
  ];
  return pieces.some(({ part }) => part.text) ? { item, pieces: pieces.filter(({ part }) => part.text) } : UNCHANGED;
}

function toThought({ text, ...entry }: JsonObject, list: string): Piece {
  return { part: { text: typeof text === 'string' ? text : '', thought: true }, entry, list };
}

function readCall({ call_id, name, arguments: raw, ...item }: JsonObject): ReadItem {
  if (typeof name !== 'string' || name === '') return UNCHANGED;
  const id = [call_id, item['id']].find((each) => typeof each === 'string' && each !== '') as string | undefined;
  return {
    item,
    pieces: [{ part: { functionCall: { ...(id !== undefined && { id }), name, ...readCallArgs(raw) } } }],
  };
}

function readCode({ code, outputs, ...item }: JsonObject): ReadItem {
  const isFailed = item['status'] === 'failed';
  const pieces: Piece[] = [
    { part: { executableCode: { code: typeof code === 'string' ? code : '', language: 'PYTHON' } } },
  ];
  for (const { logs, url, ...entry } of objectsIn(outputs)) {
    if (typeof logs === 'string') {
      const outcome = isFailed ? 'OUTCOME_FAILED' : 'OUTCOME_OK';
      pieces.push({ part: { codeExecutionResult: { outcome, output: logs } }, entry });
    } else if (typeof url === 'string') pieces.push({ part: toFilePart(url), entry });
  }
  if (isFailed && pieces.length === 1) {
    pieces.push({ part: { codeExecutionResult: { outcome: 'OUTCOME_FAILED' } } });
  }
  return { item, pieces };
}

function toFilePart(url: string): Part {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (mimeType !== undefined && data !== undefined) return { inlineData: { mimeType, data } };
  return { fileData: { fileUri: url, mimeType: 'image/png' } };
}

function readImage(raw: JsonObject): ReadItem {
  const { result, ...item } = raw;
  if (typeof result !== 'string' || result === '') return UNCHANGED;
  const format = item['output_format'];
  const mimeType = `image/${typeof format === 'string' ? (format === 'svg' ? 'svg+xml' : format) : 'png'}`;
  return { item, pieces: [{ part: { inlineData: { mimeType, data: result } } }] };
}

const objectsIn = (list: Json | undefined): JsonObject[] =>
  Array.isArray(list) ? (list.filter(isPlainObject) as JsonObject[]) : [];

/** Removes empty lists, such as the `annotations: []` of most texts. */
const withoutEmptyLists = (entry: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => !(Array.isArray(value) && value.length === 0)));
