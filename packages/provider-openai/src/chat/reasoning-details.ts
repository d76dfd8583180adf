import type { JsonObject } from '@thole/core';
import { isRecord } from './is-record.ts';
import { textOrEmpty } from './text-or-empty.ts';

/**
 * Collects OpenRouter's reasoning blocks. Consecutive fragments with the same kind and index are one block; other members of
 * a later fragment, such as the signature, belong to the whole block.
 */
export class ReasoningDetails {
  readonly blocks: JsonObject[] = [];

  /** Adds fragments and returns the new readable text. */
  add(details: unknown): string {
    let text = '';
    if (!Array.isArray(details)) return text;
    for (const detail of details) {
      if (!isRecord(detail)) continue;
      const key = textKey(detail);
      const last = this.blocks.at(-1);
      if (key && typeof detail[key] === 'string') text += detail[key];
      if (key && last && belongsTo(last, detail)) join(last, detail as JsonObject, key);
      else this.blocks.push({ ...(detail as JsonObject) });
    }
    return text;
  }
}

function textKey({ type }: { readonly [key: string]: unknown }): string | undefined {
  if (type === 'reasoning.text') return 'text';
  return type === 'reasoning.summary' ? 'summary' : undefined;
}

function belongsTo(last: JsonObject, detail: { readonly [key: string]: unknown }): boolean {
  return last['type'] === detail['type'] && last['index'] === detail['index'] && !last['signature'];
}

function join(last: JsonObject, detail: JsonObject, key: string): void {
  for (const [name, value] of Object.entries(detail)) {
    if (name === key) last[key] = `${textOrEmpty(last[key])}${textOrEmpty(value)}`;
    else if (value !== null) last[name] = value;
  }
}
