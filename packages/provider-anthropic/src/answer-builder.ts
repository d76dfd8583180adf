import { isPlainObject, parseJson } from '@thole/core/kit';
import type { Json, JsonObject, LlmResponse, Part } from '@thole/core';
import { readCitations } from './read-citations.ts';
import { readFinish } from './read-finish.ts';
import { addUsage, readUsage } from './read-usage.ts';
import { toParts } from './to-parts.ts';

type Raw = { readonly [name: string]: unknown };

/** A block that is being received. */
interface OpenBlock {
  readonly block: JsonObject;
  /** JSON text of streamed arguments. Undefined if no text was received. */
  json?: string | undefined;
}

/** A paused answer, for the next request. */
export interface Pause {
  readonly content: readonly JsonObject[];
  readonly container: string | undefined;
}

/**
 * Builds a response from events or complete messages. The messages of a paused answer (`pause_turn`) become one response:
 * their blocks are joined and their tokens are added.
 */
export class AnswerBuilder {
  readonly #endpoint: string;
  readonly #earlier: OpenBlock[] = [];
  #blocks: OpenBlock[] = [];
  /** The blocks of the current message by their index in the events. */
  #byIndex = new Map<unknown, OpenBlock>();
  #message: JsonObject = {};
  #earlierUsage: JsonObject | undefined;
  #usage: JsonObject | undefined;
  #isComplete = false;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  /** True if the current message is complete. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Adds a complete message. */
  addMessage(message: Raw): void {
    const { content, usage, ...rest } = message;
    this.#message = rest as JsonObject;
    this.#addUsage(usage);
    for (const block of Array.isArray(content) ? content : []) this.#addBlock(undefined, block);
    this.#isComplete = true;
  }

  /** Adds an event of a stream. Returns its new text as a part; undefined without text. Unknown events are ignored. */
  addEvent(event: Raw): Part | undefined {
    switch (event['type']) {
      case 'message_start': {
        const { usage, content: _, ...rest } = objectOf(event['message']);
        this.#message = rest as JsonObject;
        this.#addUsage(usage);
        return undefined;
      }
      case 'content_block_start': {
        const block = this.#addBlock(event['index'], event['content_block']);
        return block && textPart(block['type'], block['text'] ?? block['thinking']);
      }
      case 'content_block_delta':
        return this.#addDelta(this.#byIndex.get(event['index']), objectOf(event['delta']));
      case 'message_delta':
        this.#message = { ...this.#message, ...(objectOf(event['delta']) as JsonObject) };
        this.#addUsage(event['usage']);
        return undefined;
      case 'message_stop':
        this.#isComplete = true;
    }
    return undefined;
  }

  /** Returns the content with which a paused answer is continued, and starts a new message. Undefined if the answer is not paused. */
  takePause(): Pause | undefined {
    if (this.#message['stop_reason'] !== 'pause_turn' || this.#blocks.length === 0) return undefined;
    const container = objectOf(this.#message['container'])['id'];
    this.#earlier.push(...this.#blocks);
    this.#earlierUsage = addUsage(this.#earlierUsage, this.#usage);
    this.#blocks = [];
    this.#byIndex = new Map();
    this.#usage = undefined;
    this.#isComplete = false;
    const content = this.#earlier.map(withInput).filter(isSendable);
    return { content, container: typeof container === 'string' ? container : undefined };
  }

  /** Returns the final response. */
  toResponse(): LlmResponse {
    return this.#toResponse(readFinish(this.#message));
  }

  /** Returns the final response for an answer that a filter stopped, with the content that was received. */
  toBlockedResponse(errorMessage: string): LlmResponse {
    return this.#toResponse({ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED', errorMessage });
  }

  /** A blocked answer has no calls, because they must not run. */
  #toResponse(finish: Pick<LlmResponse, 'finishReason' | 'errorCode' | 'errorMessage'>): LlmResponse {
    const isBlocked = finish.errorCode !== undefined;
    const blocks = [...this.#earlier, ...this.#blocks].map((open) => ({ block: withInput(open), json: open.json }));
    const parts: Part[] = [];
    const placed = blocks.map(({ block, json }) => {
      const blockParts = isBlocked && block['type'] === 'tool_use' ? [] : toParts(block, json, this.#endpoint);
      parts.push(...blockParts);
      return { block, partIndex: blockParts.length > 0 ? parts.length - 1 : undefined };
    });
    const usage = addUsage(this.#earlierUsage, this.#usage);
    const { model } = this.#message;
    const rest = this.#otherMembers(usage);
    return {
      ...(parts.length > 0 && { content: { role: 'model', parts } }),
      ...finish,
      ...(usage && { usageMetadata: readUsage(usage) }),
      ...readCitations(placed),
      ...(typeof model === 'string' && { modelVersion: model }),
      ...(Object.keys(rest).length > 0 && { customMetadata: { anthropic: rest } }),
    };
  }

  #addBlock(index: unknown, block: unknown): JsonObject | undefined {
    if (!isPlainObject(block)) return undefined;
    const open: OpenBlock = { block: { ...(block as JsonObject) } };
    this.#blocks.push(open);
    if (index !== undefined) this.#byIndex.set(index, open);
    return open.block;
  }

  #addDelta(open: OpenBlock | undefined, delta: Raw): Part | undefined {
    if (!open) return undefined;
    const { block } = open;
    const add = (name: string): string => {
      const piece = typeof delta[name] === 'string' ? delta[name] : '';
      block[name] = `${typeof block[name] === 'string' ? block[name] : ''}${piece}`;
      return piece;
    };
    switch (delta['type']) {
      case 'text_delta':
        return textPart('text', add('text'));
      case 'thinking_delta':
        return textPart('thinking', add('thinking'));
      case 'signature_delta':
        add('signature');
        return undefined;
      case 'input_json_delta':
        if (typeof delta['partial_json'] === 'string') open.json = (open.json ?? '') + delta['partial_json'];
        return undefined;
      case 'citations_delta':
        block['citations'] = [
          ...(Array.isArray(block['citations']) ? block['citations'] : []),
          delta['citation'] as Json,
        ];
    }
    return undefined;
  }

  /** Merges token counts. Counts of later events replace earlier counts. */
  #addUsage(usage: unknown): void {
    if (!isPlainObject(usage)) return;
    const known = Object.entries(usage as JsonObject).filter(([, value]) => value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
  }

  #otherMembers(usage: JsonObject | undefined): JsonObject {
    const { type: _, role: __, model: ___, stop_reason: ____, ...rest } = this.#message;
    const members = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
    return { ...Object.fromEntries(members), ...(usage && { usage }) };
  }
}

const objectOf = (value: unknown): Raw => (isPlainObject(value) ? value : {});

function textPart(type: unknown, text: unknown): Part | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  return type === 'thinking' ? { text, thought: true } : type === 'text' ? { text } : undefined;
}

/** Returns the block with its streamed arguments. Arguments that are not valid JSON are left out. */
function withInput({ block, json }: OpenBlock): JsonObject {
  if (json === undefined || json.trim() === '') return block;
  const input = parseJson(json);
  return input === undefined ? block : { ...block, input };
}

const isSendable = ({ type, text }: JsonObject): boolean =>
  type !== 'text' || (typeof text === 'string' && text.trim() !== '');
