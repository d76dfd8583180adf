import type { Event, JsonObject } from '@thole/core';
import { AnswerPieces } from '../front-ends/answer-pieces.ts';
import type { AnswerPiece } from '../front-ends/pieces-of.ts';
import type { EventEncoder, RunFailure, RunOutcome } from '../front-ends/event-encoder.ts';
import { textPart, toAnswerItem } from './answer-item.ts';
import { finishReasonOf } from './finish-reason.ts';
import type { FinishReason } from './finish-reason.ts';
import { pauseText } from './pause-text.ts';
import { ItemIds, toResponseId } from './response-id.ts';
import { toResponseUsage } from './usage.ts';

/** Options of `ResponseEncoder`. */
export interface ResponseEncoderOptions {
  model: string;
  /** Time of the request in seconds since the epoch. */
  createdAt: number;
  /** Members of the request that the response repeats. */
  echo: JsonObject;
  /** True if the session is deleted after the run. */
  isTemporary: boolean;
  /** Agents whose partial events are left out. */
  checkedAuthors: ReadonlySet<string>;
  sessionId: string;
}

/** The output item that is being streamed. */
interface OpenItem {
  readonly id: string;
  readonly type: AnswerPiece['type'];
  readonly eventId: string;
  text: string;
}

/**
 * Encodes a run as events of Responses. Each answer is a message, and its thoughts are a reasoning item with a summary. Tool
 * calls are not sent, because the client must not execute them.
 */
export class ResponseEncoder implements EventEncoder {
  readonly #options: ResponseEncoderOptions;
  readonly #pieces: AnswerPieces;
  readonly #itemIds: ItemIds;
  readonly #output: JsonObject[] = [];
  #item: OpenItem | undefined;
  #invocationId: string = '';
  #sequence: number = 0;
  #finishReason: FinishReason = 'stop';
  #endMembers: JsonObject = { status: 'in_progress' };

  constructor(options: ResponseEncoderOptions) {
    this.#options = options;
    this.#pieces = new AnswerPieces(options.checkedAuthors);
    this.#itemIds = new ItemIds(options.sessionId);
  }

  start(invocationId: string): string {
    this.#invocationId = invocationId;
    const response = this.response();
    return this.#frame('response.created', { response }) + this.#frame('response.in_progress', { response });
  }

  event(event: Event): string {
    this.#finishReason = finishReasonOf(event) ?? this.#finishReason;
    return this.#encode(this.#pieces.read(event));
  }

  end({ interrupts, status, usage }: RunOutcome): string {
    let frames = this.#encode(this.#pieces.end());
    if (status === 'paused')
      frames += this.#encode([{ type: 'text', eventId: 'pause', text: pauseText(interrupts, this.#options) }]);
    frames += this.#closeItem();
    const reason = status === 'paused' ? 'interrupt' : incompleteReasons[this.#finishReason];
    this.#endMembers = {
      status: reason === undefined ? 'completed' : 'incomplete',
      ...(reason !== undefined && { incomplete_details: { reason } }),
      usage: toResponseUsage(usage),
    };
    return frames + this.#frame(`response.${this.#endMembers['status'] as string}`, { response: this.response() });
  }

  error({ code, message }: RunFailure): string {
    const frames = this.#closeItem();
    this.#endMembers = { status: 'failed', error: { code, message } };
    return frames + this.#frame('response.failed', { response: this.response() });
  }

  /** Returns the response. It is complete after `end`. */
  response(): JsonObject {
    const { createdAt, echo, model, sessionId } = this.#options;
    const id = toResponseId({ sessionId, invocationId: this.#invocationId });
    const fixed: JsonObject = { error: null, incomplete_details: null, usage: null, parallel_tool_calls: true };
    return {
      ...{ id, object: 'response', created_at: Math.floor(createdAt), model, output: [...this.#output] },
      ...{
        ...fixed,
        tools: [],
        tool_choice: 'auto',
        temperature: null,
        top_p: null,
        text: { format: { type: 'text' } },
      },
      ...echo,
      ...this.#endMembers,
    };
  }

  #encode(pieces: readonly AnswerPiece[]): string {
    return pieces.map((piece) => this.#encodePiece(piece)).join('');
  }

  #encodePiece({ eventId, text, type }: AnswerPiece): string {
    const isSame = this.#item?.eventId === eventId && this.#item.type === type;
    const opening = isSame ? '' : this.#closeItem() + this.#openItem(type, eventId);
    const item = this.#item!;
    item.text += text;
    const delta =
      type === 'text' ? { ...this.#textPlace(), delta: text, logprobs: [] } : { ...this.#summaryPlace(), delta: text };
    return opening + this.#frame(`${deltaNames[type]}.delta`, delta);
  }

  #openItem(type: AnswerPiece['type'], eventId: string): string {
    const id = this.#itemIds.next(type === 'text' ? 'msg' : 'rs', { eventId, invocationId: this.#invocationId });
    this.#item = { id, type, eventId, text: '' };
    const item =
      type === 'text'
        ? { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
        : { id, type: 'reasoning', status: 'in_progress', summary: [] };
    const added = this.#frame('response.output_item.added', { output_index: this.#output.length, item });
    if (type === 'text')
      return added + this.#frame('response.content_part.added', { ...this.#textPlace(), part: textPart('') });
    const part = { type: 'summary_text', text: '' };
    return added + this.#frame('response.reasoning_summary_part.added', { ...this.#summaryPlace(), part });
  }

  #closeItem(): string {
    if (!this.#item) return '';
    const { text, type } = this.#item;
    const item = toAnswerItem(this.#item);
    let frames: string;
    if (type === 'text') {
      const place = this.#textPlace();
      const part = textPart(text);
      frames =
        this.#frame('response.output_text.done', { ...place, text, logprobs: [] }) +
        this.#frame('response.content_part.done', { ...place, part });
    } else {
      const place = this.#summaryPlace();
      const part: JsonObject = { type: 'summary_text', text };
      frames =
        this.#frame('response.reasoning_summary_text.done', { ...place, text }) +
        this.#frame('response.reasoning_summary_part.done', { ...place, part });
    }
    frames += this.#frame('response.output_item.done', { output_index: this.#output.length, item });
    this.#output.push(item);
    this.#item = undefined;
    return frames;
  }

  #textPlace(): JsonObject {
    return { item_id: this.#item!.id, output_index: this.#output.length, content_index: 0 };
  }

  #summaryPlace(): JsonObject {
    return { item_id: this.#item!.id, output_index: this.#output.length, summary_index: 0 };
  }

  #frame(type: string, members: JsonObject): string {
    const data = { type, sequence_number: this.#sequence++, ...members };
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

const deltaNames = { text: 'response.output_text', thought: 'response.reasoning_summary_text' } as const;

const incompleteReasons: { readonly [reason in FinishReason]: string | undefined } = {
  stop: undefined,
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};
