import type { Runtime } from '@thole/core';
import { idHeader } from '../http/id-header.ts';
import { responseWithSafeHeaders } from '../http/safe-headers.ts';
import { HEARTBEAT_FRAME } from './end-frames.ts';

/** A source of the frames of a stream. */
export interface FrameSource {
  /** Returns the next frames as one text. Undefined after the last frame. Never rejects. */
  next(): Promise<string | undefined>;
  /** Called when the client has disconnected. */
  close(): void;
}

const encoder = new TextEncoder();

/**
 * Returns a response of server-sent events. Frames are requested only when the client can receive them, so a slow client slows
 * down the source, and no frames accumulate. A heartbeat comment is sent when the stream is silent for `heartbeatMs`.
 */
export function sseResponse(
  source: FrameSource,
  p: { runtime: Runtime; heartbeatMs: number; invocationId: string },
): Response {
  let cancelHeartbeat = (): void => {};
  let isOpen = true;
  let sentAt = p.runtime.monotonic();
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const scheduleHeartbeat = (afterMs: number): void => {
          cancelHeartbeat = p.runtime.timer(afterMs, () => {
            const silentMs = p.runtime.monotonic() - sentAt;
            const isDue = silentMs >= p.heartbeatMs;
            if (!isOpen) return;
            if (isDue && (controller.desiredSize ?? 0) >= 0) controller.enqueue(encoder.encode(HEARTBEAT_FRAME));
            scheduleHeartbeat(isDue ? p.heartbeatMs : p.heartbeatMs - silentMs);
          });
        };
        scheduleHeartbeat(p.heartbeatMs);
      },
      async pull(controller) {
        const frames = await source.next();
        if (!isOpen) return;
        if (frames === undefined) {
          isOpen = false;
          cancelHeartbeat();
          return controller.close();
        }
        sentAt = p.runtime.monotonic();
        controller.enqueue(encoder.encode(frames));
      },
      cancel() {
        isOpen = false;
        cancelHeartbeat();
        source.close();
      },
    },
    { highWaterMark: 0 },
  );
  return responseWithSafeHeaders(body, headersOf(p.invocationId));
}

/** Returns the response for a run that has ended, with all its frames. */
export function completeSseResponse(frames: string, p: { invocationId: string }): Response {
  return responseWithSafeHeaders(frames, headersOf(p.invocationId));
}

/** Returns a source that starts with frames that were already requested. */
export function withFirstFrames(firstFrames: Promise<string | undefined>, source: FrameSource): FrameSource {
  let first: Promise<string | undefined> | undefined = firstFrames;
  return {
    next() {
      const frames = first ?? source.next();
      first = undefined;
      return frames;
    },
    close: () => source.close(),
  };
}

function headersOf(invocationId: string): Record<string, string> {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    // `no-transform` keeps middleware such as Express's `compression` from buffering frames, the next header does so for proxies.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    ...idHeader('x-thole-invocation-id', invocationId),
  };
}
