import type { Event } from '@thole/core';
import { transcriptOf } from '../history/event-kinds.ts';
import { textPart } from './freeze-content.ts';

/** Joins consecutive transcriptions of one speaker into one event with their text. */
export function mergeTranscriptions(events: readonly Event[]): readonly Event[] {
  if (!events.some(transcriptOf)) return events;
  const merged: Event[] = [];
  let run: Event[] = [];
  const close = (): void => {
    if (run.length > 0) merged.push(joinPieces(run));
    run = [];
  };
  for (const event of events) {
    const speaker = transcriptOf(event)?.speaker;
    if (speaker === undefined || (run[0] && transcriptOf(run[0])!.speaker !== speaker)) close();
    if (speaker === undefined) merged.push(event);
    else run.push(event);
  }
  close();
  return merged;
}

function joinPieces(run: readonly Event[]): Event {
  const { speaker } = transcriptOf(run[0]!)!;
  let text = '';
  let finished = false;
  for (const event of run) {
    const piece = transcriptOf(event)!;
    // Pieces of one utterance include their spaces. After a finished piece, another utterance begins.
    if (finished && !/\s$/.test(text) && !/^\s/.test(piece.text)) text += ' ';
    text += piece.text;
    finished = piece.finished;
  }
  return {
    ...run.at(-1)!,
    author: speaker,
    content: { role: speaker === 'user' ? 'user' : 'model', parts: [textPart(text)] },
  };
}
