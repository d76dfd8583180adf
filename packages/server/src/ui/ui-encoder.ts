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

  /** `earlierEvents` are the events of the message that the reader already has. Their tokens are counted. */
  constructor(known?: KnownParts, earlierEvents: readonly Event[] = []) {
    this.#chunks = new UiChunks(known);
    for (const event of earlierEvents) this.#usage.add(event);
  }

  start(invocationId: string): string {
    return toFrames([{ type: 'start', messageId: invocationId, messageMetadata: { invocationId } }]);
  }

  event(event: Event): string {
    this.#usage.add(event);
    return toFrames(this.#chunks.add(event));
  }

  end({ status }: RunOutcome): string {
    const chunks: UiChunk[] = [];
    this.#chunks.end(chunks);
    const finishReason = status === 'paused' ? 'tool-calls' : toUiFinishReason(this.#chunks.finishReason);
    chunks.push({ type: 'finish', finishReason, messageMetadata: { status, ...this.#usage.toMetadata() } });
    return toFrames(chunks) + DONE;
  }

  error({ code, message }: RunFailure): string {
    const chunks: UiChunk[] = [];
    this.#chunks.end(chunks);
    // The `error` and `abort` chunks have no metadata, so the used tokens are sent before.
    const { totalUsage } = this.#usage.toMetadata();
    if (totalUsage) chunks.push({ type: 'message-metadata', messageMetadata: { totalUsage } });
    chunks.push(isAbort(code) ? { type: 'abort', reason: message } : { type: 'error', errorText: message });
    return toFrames(chunks) + DONE;
  }
}

/** True for the code of a run that ended at the request of a client. */
export function isAbort(code: string): boolean {
  return ['RUN_ABORTED', 'RUN_LEFT', 'RUN_INTERRUPTED'].includes(code);
}

function toFrames(chunks: readonly UiChunk[]): string {
  let text = '';
  for (const chunk of chunks) text += `data: ${JSON.stringify(chunk)}\n\n`;
  return text;
}
