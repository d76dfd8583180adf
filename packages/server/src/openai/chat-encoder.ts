import type { Event, JsonObject, Usage } from '@thole/core';
import { AnswerPieces } from '../front-ends/answer-pieces.ts';
import type { AnswerPiece } from '../front-ends/pieces-of.ts';
import type { EventEncoder, RunFailure, RunOutcome } from '../front-ends/event-encoder.ts';
import { finishReasonOf } from './finish-reason.ts';
import type { FinishReason } from './finish-reason.ts';
import { failureFrame } from './failure-frame.ts';
import { pauseText } from './pause-text.ts';
import { toChatUsage } from './usage.ts';

/** Options of `ChatEncoder`. */
export interface ChatEncoderOptions {
  model: string;
  /** Time of the request in seconds since the epoch. */
  createdAt: number;
  /** True to send the token counts in a last chunk. */
  includesUsage: boolean;
  /** True if the session is deleted after the run. */
  isTemporary: boolean;
  /** Agents whose partial events are left out. */
  checkedAuthors: ReadonlySet<string>;
}

/**
 * Encodes a run as chunks of Chat Completions. Several answers are separated by an empty line. Thoughts are sent as
 * `reasoning_content`, as other servers do. Tool calls are not sent, because the client must not execute them.
 */
export class ChatEncoder implements EventEncoder {
  readonly #options: ChatEncoderOptions;
  readonly #pieces: AnswerPieces;
  readonly #texts: Record<AnswerPiece['type'], string> = { text: '', thought: '' };
  readonly #lastIds: Partial<Record<AnswerPiece['type'], string>> = {};
  #id: string = '';
  #finishReason: FinishReason = 'stop';
  #usage: Usage | undefined;

  constructor(options: ChatEncoderOptions) {
    this.#options = options;
    this.#pieces = new AnswerPieces(options.checkedAuthors);
  }

  start(invocationId: string): string {
    this.#id = `chatcmpl-${invocationId}`;
    return this.#chunk({ role: 'assistant', content: '' });
  }

  event(event: Event): string {
    this.#finishReason = finishReasonOf(event) ?? this.#finishReason;
    return this.#encode(this.#pieces.read(event));
  }

  end({ interrupts, status, usage }: RunOutcome): string {
    this.#usage = usage;
    let frames = this.#encode(this.#pieces.end());
    if (status === 'paused')
      frames += this.#encode([{ type: 'text', eventId: '', text: pauseText(interrupts, this.#options) }]);
    frames += this.#chunk({}, this.#finishReason);
    if (this.#options.includesUsage) frames += this.#frame({ choices: [], usage: toChatUsage(usage) });
    return `${frames}data: [DONE]\n\n`;
  }

  error(failure: RunFailure): string {
    return failureFrame(failure);
  }

  /** Returns the complete answer. Called after `end`. */
  completion(): object {
    const { text: content, thought } = this.#texts;
    const message = {
      role: 'assistant',
      content,
      refusal: null,
      ...(thought !== '' && { reasoning_content: thought }),
    };
    return {
      ...this.#head('chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: this.#finishReason }],
      usage: toChatUsage(this.#usage),
    };
  }

  #encode(pieces: readonly AnswerPiece[]): string {
    return pieces.map((piece) => this.#encodePiece(piece)).join('');
  }

  #encodePiece({ eventId, text, type }: AnswerPiece): string {
    const isNext = this.#texts[type] !== '' && this.#lastIds[type] !== eventId;
    const added = isNext ? `\n\n${text}` : text;
    this.#texts[type] += added;
    this.#lastIds[type] = eventId;
    return this.#chunk(type === 'text' ? { content: added } : { reasoning_content: added });
  }

  #chunk(delta: object, finishReason: FinishReason | null = null): string {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
    return this.#frame({ choices, ...(this.#options.includesUsage && { usage: null }) });
  }

  #frame(members: object): string {
    return `data: ${JSON.stringify({ ...this.#head('chat.completion.chunk'), ...members })}\n\n`;
  }

  #head(object: string): JsonObject {
    const { createdAt, model } = this.#options;
    return { id: this.#id, object, created: Math.floor(createdAt), model };
  }
}
