import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';

/** An event of a stream. Its members are not validated. */
export interface StreamEvent {
  readonly [member: string]: unknown;
}

/** The place of streamed text in an item: the list, and the type of the entry. */
export interface TextPlace {
  readonly list: 'content' | 'summary';
  readonly type: 'output_text' | 'refusal' | 'summary_text' | 'reasoning_text';
}

interface TextEntry extends TextPlace {
  readonly index: unknown;
  text: string;
}

interface ItemDraft {
  readonly order: number;
  begun?: JsonObject;
  done?: JsonObject;
  args: string;
  readonly texts: TextEntry[];
}

/**
 * Builds the output of a streamed answer from its events, for servers whose last event does not contain the
 * output. The output index of an event selects the item; without an index, the item's id does, because ids may change
 * between events or be shared. A finished item is used unchanged; an unfinished item is built from its pieces.
 */
export class OutputDraft {
  readonly #drafts: ItemDraft[] = [];
  readonly #open = new Map<unknown, ItemDraft>();

  beginItem(event: StreamEvent): void {
    if (!isPlainObject(event['item'])) return;
    const draft = this.#draftOf(event);
    const target = draft.begun || draft.done ? this.#add(event) : draft;
    target.begun = event['item'] as JsonObject;
  }

  endItem(event: StreamEvent): void {
    if (!isPlainObject(event['item'])) return;
    const draft = this.#draftOf(event);
    const target = draft.done ? this.#add(event) : draft;
    target.done = event['item'] as JsonObject;
  }

  addText(event: StreamEvent, place: TextPlace, text: string): void {
    const { texts } = this.#draftOf(event);
    const index = place.list === 'summary' ? event['summary_index'] : event['content_index'];
    const last = texts.at(-1);
    if (last && last.index === index && last.type === place.type) last.text += text;
    else texts.push({ ...place, index, text });
  }

  addArgs(event: StreamEvent): void {
    if (typeof event['delta'] === 'string') this.#draftOf(event).args += event['delta'];
  }

  endArgs(event: StreamEvent): void {
    if (typeof event['arguments'] === 'string') this.#draftOf(event).args = event['arguments'];
  }

  items(): JsonObject[] {
    return this.#drafts
      .toSorted((a, b) => a.order - b.order)
      .map((draft) => draft.done ?? buildItem(draft))
      .filter((item) => item !== undefined);
  }

  #draftOf(event: StreamEvent): ItemDraft {
    return this.#open.get(keyOf(event)) ?? this.#add(event);
  }

  #add(event: StreamEvent): ItemDraft {
    const index = event['output_index'];
    const order = typeof index === 'number' ? index : this.#drafts.length;
    const draft: ItemDraft = { order, args: '', texts: [] };
    this.#drafts.push(draft);
    this.#open.set(keyOf(event), draft);
    return draft;
  }
}

function keyOf(event: StreamEvent): unknown {
  const { output_index: index, item_id: id, item } = event;
  return index ?? id ?? (isPlainObject(item) ? item['id'] : undefined);
}

function buildItem({ begun, args, texts }: ItemDraft): JsonObject | undefined {
  const type = begun?.['type'] ?? (texts.some(isThought) ? 'reasoning' : 'message');
  if (type === 'message') {
    const content = texts.filter((each) => !isThought(each)).map(entryOf);
    return content.length > 0 ? { type, role: 'assistant', ...begun, content } : begun;
  }
  if (type === 'function_call') return args === '' ? begun : { ...begun, arguments: args };
  if (type !== 'reasoning') return begun;
  const entries = (list: string): JsonObject[] => texts.filter((each) => each.list === list).map(entryOf);
  const content = entries('content');
  return { type, ...begun, summary: entries('summary'), ...(content.length > 0 && { content }) };
}

/** True for text of the model's reasoning. */
export const isThought = ({ type }: TextPlace): boolean => type === 'summary_text' || type === 'reasoning_text';

const entryOf = ({ type, text }: TextEntry): JsonObject => ({ type, [type === 'refusal' ? 'refusal' : 'text']: text });
