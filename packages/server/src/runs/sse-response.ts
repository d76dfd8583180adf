import type { Runtime } from '@thole/core';
import { HEARTBEAT_FRAME } from './end-frames.ts';

/** Where the frames of a stream come from. */
export interface FrameSource {
  /** The next frames, one after another in one text; undefined when there are no more. Never rejects. */
  next(): Promise<string | undefined>;
  /** The client is gone. */
  leave(): void;
}

const encoder = new TextEncoder();

/**
 * A response of server-sent events. A frame is asked for when the client has room for it, so that a slow one holds up its source and
 * nothing is piled up here; while nothing comes a comment says that the stream lives.
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
        const beat = (afterMs: number): void => {
          cancelHeartbeat = p.runtime.timer(afterMs, () => {
            const silentMs = p.runtime.monotonic() - sentAt;
            const isDue = silentMs >= p.heartbeatMs;
            if (!isOpen) return;
            if (isDue && (controller.desiredSize ?? 0) >= 0) controller.enqueue(encoder.encode(HEARTBEAT_FRAME));
            beat(isDue ? p.heartbeatMs : p.heartbeatMs - silentMs);
          });
        };
        beat(p.heartbeatMs);
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
        source.leave();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: headersOf(p.invocationId) });
}

/** The same for a run of which all is there already. */
export function wholeSseResponse(frames: string, p: { invocationId: string }): Response {
  return new Response(frames, { headers: headersOf(p.invocationId) });
}

/** A source whose first frames were asked for already. */
export function beginningWith(first: Promise<string | undefined>, source: FrameSource): FrameSource {
  let early: Promise<string | undefined> | undefined = first;
  return {
    next() {
      const frames = early ?? source.next();
      early = undefined;
      return frames;
    },
    leave: () => source.leave(),
  };
}

function headersOf(invocationId: string): Record<string, string> {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies that buffer would hold frames back.
    'x-accel-buffering': 'no',
    'x-thole-invocation-id': invocationId,
  };
}
