import type { Event } from '@thole/core';

/** One frame of a stream. */
export interface ReadFrame {
  id?: string;
  comment?: string;
  event?: Event;
  error?: string;
  errorDetails?: { code: string; retryable: boolean };
}

/** Reads a stream frame by frame. */
export async function* framesOf(response: Response): AsyncGenerator<ReadFrame> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield frameOf(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
  if (text !== '') throw new Error('The stream ended in the middle of a frame.');
}

export async function allFrames(response: Response): Promise<ReadFrame[]> {
  return Array.fromAsync(framesOf(response));
}

/** Returns a short text for a frame: `text`, `#id text`, `: comment` or `! code`. */
export function describeFrame(frame: ReadFrame): string {
  if (frame.comment !== undefined) return `: ${frame.comment}`;
  if (frame.error !== undefined) return `! ${frame.errorDetails!.code}`;
  const { content, errorCode, actions } = frame.event!;
  const text = (content?.parts ?? [])
    .map((part) => part.text ?? part.functionCall?.name ?? `${part.functionResponse?.name}()`)
    .join('');
  const saved = Object.keys(actions.artifactDelta).join();
  return `${frame.id === undefined ? '' : `#${frame.id} `}${text || errorCode || ''}${saved && `[${saved}]`}`;
}

function frameOf(text: string): ReadFrame {
  const frame: ReadFrame = {};
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).trimStart();
    if (colon === 0) frame.comment = value;
    if (line.startsWith('id:')) frame.id = value;
    if (!line.startsWith('data:')) continue;
    const data = JSON.parse(value) as Event & ReadFrame;
    if (data.error === undefined) frame.event = data;
    else Object.assign(frame, data);
  }
  return frame;
}
