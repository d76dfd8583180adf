import type { Json, JsonObject, Part } from '@thole/core';
import { endpointIn } from '../openai-options.ts';
import type { RequestTarget } from '../openai-options.ts';
import { isRecord } from './is-record.ts';
import { textOrEmpty } from './text-or-empty.ts';
import { readImage } from './read-image.ts';
import { ReasoningDetails } from './reasoning-details.ts';
import { ThinkTagParser } from './think-tag-parser.ts';
import type { Piece } from './think-tag-parser.ts';

type Raw = { readonly [key: string]: unknown };

/**
 * Collects the texts and thoughts of a message. Thoughts may be in `reasoning_content`, `reasoning` or
 * `reasoning_details`, in parts of the content, or between `<think>` tags at its beginning. Texts may be in `content`,
 * which is a text or a list, and in `refusal`.
 */
export class ChatText {
  readonly #endpointName: string;
  readonly #tags: ThinkTagParser | undefined;
  readonly #details = new ReasoningDetails();
  /** Texts in order. Adjacent texts of one kind are one part. */
  readonly #content: { text: string; thought: boolean }[] = [];
  readonly #images: Part[] = [];
  /** Parts of the content whose type is unknown. */
  readonly unknownContent: Json[] = [];
  #reasoning = '';
  #refusal = '';

  constructor(target: RequestTarget) {
    this.#endpointName = endpointIn(target).name;
    // Models of OpenAI do not put thoughts between tags: a tag in their text is text.
    this.#tags = target.provider === 'openai' ? undefined : new ThinkTagParser();
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
    const newParts: Part[] = reasoning === '' ? [] : [{ text: reasoning, thought: true }];
    const { content, refusal } = message;
    if (typeof content === 'string') this.#addText(content, newParts);
    else if (Array.isArray(content)) for (const part of content) this.#addPart(part, newParts);
    if (typeof refusal === 'string' && refusal !== '') {
      this.#refusal += refusal;
      this.#addPieces([{ text: refusal, thought: false }], newParts);
    }
    if (Array.isArray(message['images'])) for (const image of message['images']) this.#addImage(image);
    return newParts;
  }

  /** Returns the text that was not returned earlier because it could have become a tag. */
  end(): Part[] {
    const newParts: Part[] = [];
    this.#addPieces(this.#tags?.end() ?? [], newParts);
    return newParts;
  }

  /** Returns all parts so far: thoughts, texts, images. */
  parts(): Part[] {
    const { blocks } = this.#details;
    const isThought = this.#reasoning !== '' || blocks.length > 0;
    const partMetadata = { provider: this.#endpointName, ...(blocks.length > 0 && { reasoning_details: blocks }) };
    return [
      ...(isThought ? [{ text: this.#reasoning, thought: true, partMetadata }] : []),
      ...this.#content.map(({ text, thought }) => (thought ? { text, thought } : { text })),
      ...this.#images,
    ];
  }

  #addReasoning(message: Raw): string {
    const details = message['reasoning_details'];
    const fromDetails = details ? this.#details.add(details) : '';
    const added = textOrEmpty(message['reasoning_content']) || textOrEmpty(message['reasoning']) || fromDetails;
    this.#reasoning += added;
    return added;
  }

  #addText(text: string, newParts: Part[]): void {
    if (text === '') return;
    this.#addPieces(this.#tags ? this.#tags.read(text) : [{ text, thought: false }], newParts);
  }

  /** Adds a part of content that is a list, as Mistral sends it. */
  #addPart(part: unknown, newParts: Part[]): void {
    if (typeof part === 'string') return this.#addText(part, newParts);
    if (!isRecord(part)) return;
    const { type, text, thinking } = part;
    if (type === 'thinking') this.#addPieces([{ text: thinkingText(thinking), thought: true }], newParts);
    else if (type === 'text' || type === 'output_text') this.#addText(textOrEmpty(text), newParts);
    else if (type === 'image_url') this.#addImage(part);
    else this.unknownContent.push(part as JsonObject);
  }

  #addPieces(pieces: readonly Piece[], newParts: Part[]): void {
    for (const { text, thought } of pieces) {
      if (text === '') continue;
      const last = this.#content.at(-1);
      if (last?.thought === thought) last.text += text;
      else this.#content.push({ text, thought });
      newParts.push(thought ? { text, thought } : { text });
    }
  }

  #addImage(image: unknown): void {
    const part = readImage(image);
    if (part) this.#images.push(part);
    else this.unknownContent.push(image as Json);
  }
}

function thinkingText(thinking: unknown): string {
  if (!Array.isArray(thinking)) return textOrEmpty(thinking);
  return thinking.map((each: unknown) => (isRecord(each) ? textOrEmpty(each['text']) : textOrEmpty(each))).join('');
}
