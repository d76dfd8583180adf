import type { Event } from '@thole/core';
import type { EventEncoder, RunFailure, RunOutcome } from '../front-ends/event-encoder.ts';
import { toUiFinishReason } from './finish-reason.ts';
import { TotalUsage } from './total-usage.ts';
import type { UiChunk } from './ui-chunk.ts';
import { UiChunks } from './ui-chunks.ts';
import type { KnownParts } from './ui-chunks.ts';

/** Headers of a UI message stream. */
export const uiStreamHeaders: Record<string, string> = { 'x-vercel-ai-ui-message-stream': 'v1' };

const DONE = 'data: [DONE]\n\n';
/** Writes a run as the AI SDK's UI message stream. The id of the message is the id of the invocation. */
export class UiEncoder implements EventEncoder {
  readonly #chunks: UiChunks;
  readonly #usage: TotalUsage = new TotalUsage();

  /** `earlier` are the events of the message that its reader has already. */
  constructor(known?: KnownParts, earlier: readonly Event[] = []) {
    this.#chunks = new UiChunks(known);
    for (const event of earlier) this.#usage.add(event);
  }

  start(invocationId: string): string {
    return frames([{ type: 'start', messageId: invocationId, messageMetadata: { invocationId } }]);
  }

  event(event: Event): string {
    this.#usage.add(event);
    return frames(this.#chunks.of(event));
  }

  end({ status }: RunOutcome): string {
    const chunks: UiChunk[] = [];
    this.#chunks.end(chunks);
    const finishReason = status === 'paused' ? 'tool-calls' : toUiFinishReason(this.#chunks.finishReason);
    chunks.push({ type: 'finish', finishReason, messageMetadata: { status, ...this.#usage.toMetadata() } });
    return frames(chunks) + DONE;
  }

  error({ code, message }: RunFailure): string {
    const chunks: UiChunk[] = [];
    this.#chunks.end(chunks);
    // Only `finish` has metadata, and a run that fails has used tokens too.
    const { totalUsage } = this.#usage.toMetadata();
    if (totalUsage) chunks.push({ type: 'message-metadata', messageMetadata: { totalUsage } });
    chunks.push(isAbort(code) ? { type: 'abort', reason: message } : { type: 'error', errorText: message });
    return frames(chunks) + DONE;
  }
}

/** True for the code of a run that ended because a client asked for it. */
export function isAbort(code: string): boolean {
  return ['RUN_ABORTED', 'RUN_LEFT', 'RUN_INTERRUPTED'].includes(code);
}

function frames(chunks: readonly UiChunk[]): string {
  let text = '';
  for (const chunk of chunks) text += `data: ${JSON.stringify(chunk)}\n\n`;
  return text;
}
