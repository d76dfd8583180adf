import type { Json, JsonObject, Part } from '@thole/core';
import { endpointIn } from '../openai-options.ts';
import type { RequestTarget } from '../openai-options.ts';
import { isRecord } from './is-record.ts';
import { readImage } from './read-image.ts';
import { ReasoningDetails } from './reasoning-details.ts';
import { ThinkText } from './think-text.ts';
import type { Piece } from './think-text.ts';

type Raw = { readonly [key: string]: unknown };

/**
 * Collects the texts and thoughts of a message from all places: thoughts in `reasoning_content`, `reasoning` or
 * `reasoning_details`, in parts of the content, or between `<think>` tags at its beginning; texts in `content`, as
 * text or list, and in `refusal`.
 */
export class ChatText {
  readonly #stamp: string;
  readonly #tags: ThinkText | undefined;
  readonly #details = new ReasoningDetails();
  /** Texts in order. Adjacent texts of one kind are one part. */
  readonly #content: { text: string; thought: boolean }[] = [];
  readonly #images: Part[] = [];
  /** Parts of the content of an unknown kind. */
  readonly unknownContent: Json[] = [];
  #reasoning = '';
  #refusal = '';

  constructor(target: RequestTarget) {
    this.#stamp = endpointIn(target).name;
    // OpenAI has no such models: a tag in their text is text.
    this.#tags = target.provider === 'openai' ? undefined : new ThinkText();
  }

  get isEmpty(): boolean {
    return this.#content.length === 0 && this.#reasoning === '';
  }

  get isRefusal(): boolean {
    return this.#refusal !== '';
  }

  /** Adds a message and returns its new parts. */
  add(message: Raw): Part[] {
    const reasoning = this.#addReasoning(message);
    const fresh: Part[] = reasoning === '' ? [] : [{ text: reasoning, thought: true }];
    const { content, refusal } = message;
    if (typeof content === 'string') this.#addText(content, fresh);
    else if (Array.isArray(content)) for (const part of content) this.#addPart(part, fresh);
    if (typeof refusal === 'string' && refusal !== '') {
      this.#refusal += refusal;
      this.#addPieces([{ text: refusal, thought: false }], fresh);
    }
    if (Array.isArray(message['images'])) for (const image of message['images']) this.#addImage(image);
    return fresh;
  }

  /** Returns text that was held back because it could have become a tag. */
  end(): Part[] {
    const fresh: Part[] = [];
    this.#addPieces(this.#tags?.end() ?? [], fresh);
    return fresh;
  }

  /** Returns all parts so far: thoughts, texts, images. */
  parts(): Part[] {
    const { blocks } = this.#details;
    const isThought = this.#reasoning !== '' || blocks.length > 0;
    const partMetadata = { provider: this.#stamp, ...(blocks.length > 0 && { reasoning_details: blocks }) };
    return [
      ...(isThought ? [{ text: this.#reasoning, thought: true, partMetadata }] : []),
      ...this.#content.map(({ text, thought }) => (thought ? { text, thought } : { text })),
      ...this.#images,
    ];
  }

  #addReasoning(message: Raw): string {
    const details = message['reasoning_details'];
    const fromDetails = details ? this.#details.add(details) : '';
    const added = textOr(message['reasoning_content']) || textOr(message['reasoning']) || fromDetails;
    this.#reasoning += added;
    return added;
  }

  #addText(text: string, fresh: Part[]): void {
    if (text === '') return;
    this.#addPieces(this.#tags ? this.#tags.read(text) : [{ text, thought: false }], fresh);
  }

  /** Adds a part of content that is a list, as Mistral sends it. */
  #addPart(part: unknown, fresh: Part[]): void {
    if (typeof part === 'string') return this.#addText(part, fresh);
    if (!isRecord(part)) return;
    const { type, text, thinking } = part;
    if (type === 'thinking') this.#addPieces([{ text: thinkingText(thinking), thought: true }], fresh);
    else if (type === 'text' || type === 'output_text') this.#addText(textOr(text), fresh);
    else if (type === 'image_url') this.#addImage(part);
    else this.unknownContent.push(part as JsonObject);
  }

  #addPieces(pieces: readonly Piece[], fresh: Part[]): void {
    for (const { text, thought } of pieces) {
      if (text === '') continue;
      const last = this.#content.at(-1);
      if (last?.thought === thought) last.text += text;
      else this.#content.push({ text, thought });
      fresh.push(thought ? { text, thought } : { text });
    }
  }

  #addImage(image: unknown): void {
    const part = readImage(image);
    if (part) this.#images.push(part);
    else this.unknownContent.push(image as Json);
  }
}

function thinkingText(thinking: unknown): string {
  if (!Array.isArray(thinking)) return textOr(thinking);
  return thinking.map((each: unknown) => (isRecord(each) ? textOr(each['text']) : textOr(each))).join('');
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');
