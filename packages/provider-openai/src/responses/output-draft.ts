import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';

/** An event of a stream. Nothing about it is guaranteed. */
export interface StreamEvent {
  readonly [member: string]: unknown;
}

/** The place of text that arrives in pieces: a list of the item, the index in it, and the member. */
export interface WordsPlace {
  readonly list: 'content' | 'summary';
  readonly type: 'output_text' | 'refusal' | 'summary_text' | 'reasoning_text';
}

interface Words extends WordsPlace {
  readonly at: unknown;
  text: string;
}

interface ItemDraft {
  readonly order: number;
  begun?: JsonObject;
  done?: JsonObject;
  args: string;
  readonly words: Words[];
}

/**
 * Builds the output of a streamed answer from its events, for servers whose last event lacks it. Events belong to an
 * item by output index, otherwise by the item's id: ids may change between events, and two items may share one. A
 * finished item is used unchanged; an unfinished one is built from its pieces.
 */
export class OutputDraft {
  readonly #drafts: ItemDraft[] = [];
  readonly #open = new Map<unknown, ItemDraft>();

  begin(event: StreamEvent): void {
    if (!isPlainObject(event['item'])) return;
    const draft = this.#of(event);
    const fresh = draft.begun || draft.done ? this.#add(event) : draft;
    fresh.begun = event['item'] as JsonObject;
  }

  end(event: StreamEvent): void {
    if (!isPlainObject(event['item'])) return;
    const draft = this.#of(event);
    const fresh = draft.done ? this.#add(event) : draft;
    fresh.done = event['item'] as JsonObject;
  }

  addWords(event: StreamEvent, place: WordsPlace, text: string): void {
    const { words } = this.#of(event);
    const at = place.list === 'summary' ? event['summary_index'] : event['content_index'];
    const last = words.at(-1);
    if (last && last.at === at && last.type === place.type) last.text += text;
    else words.push({ ...place, at, text });
  }

  addArgs(event: StreamEvent): void {
    if (typeof event['delta'] === 'string') this.#of(event).args += event['delta'];
  }

  endArgs(event: StreamEvent): void {
    if (typeof event['arguments'] === 'string') this.#of(event).args = event['arguments'];
  }

  items(): JsonObject[] {
    return this.#drafts
      .toSorted((a, b) => a.order - b.order)
      .map((draft) => draft.done ?? assembled(draft))
      .filter((item) => item !== undefined);
  }

  #of(event: StreamEvent): ItemDraft {
    return this.#open.get(keyOf(event)) ?? this.#add(event);
  }

  #add(event: StreamEvent): ItemDraft {
    const index = event['output_index'];
    const order = typeof index === 'number' ? index : this.#drafts.length;
    const draft: ItemDraft = { order, args: '', words: [] };
    this.#drafts.push(draft);
    this.#open.set(keyOf(event), draft);
    return draft;
  }
}

function keyOf(event: StreamEvent): unknown {
  const { output_index: index, item_id: id, item } = event;
  return index ?? id ?? (isPlainObject(item) ? item['id'] : undefined);
}

function assembled({ begun, args, words }: ItemDraft): JsonObject | undefined {
  const type = begun?.['type'] ?? (words.some((each) => isThought(each)) ? 'reasoning' : 'message');
  if (type === 'message') {
    const content = words.filter((each) => !isThought(each)).map(entryOf);
    return content.length > 0 ? { type, role: 'assistant', ...begun, content } : begun;
  }
  if (type === 'function_call') return args === '' ? begun : { ...begun, arguments: args };
  if (type !== 'reasoning') return begun;
  const entries = (list: string): JsonObject[] => words.filter((each) => each.list === list).map(entryOf);
  const content = entries('content');
  return { type, ...begun, summary: entries('summary'), ...(content.length > 0 && { content }) };
}

const isThought = ({ type }: Words): boolean => type === 'summary_text' || type === 'reasoning_text';
const entryOf = ({ type, text }: Words): JsonObject => ({ type, [type === 'refusal' ? 'refusal' : 'text']: text });
