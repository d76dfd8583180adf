import type { Event } from '@thole/core';
import type { PartialEventSerializer } from '../http/partial-event-serializer.ts';
import { wireEventJson, withActionMaps } from '../http/wire-event.ts';

/**
 * Returns the frames of an event: one frame, or with `split` two frames if the event has parts and saves artifacts, as ADK's web
 * UI expects.
 */
export function eventFrames(
  event: Event,
  p: { split: boolean; partials?: PartialEventSerializer | undefined },
): string {
  const isOneFrame = !p.split || !event.content?.parts?.length || isEmpty(event.actions?.artifactDelta);
  if (isOneFrame && event.partial && p.partials) return `data: ${p.partials.serialize(event)}\n\n`;
  const complete = withActionMaps(event);
  if (isOneFrame) return toFrame(complete, complete.seq);
  const { content: _, ...withoutContent } = complete;
  const withoutArtifacts: Event = { ...complete, actions: { ...complete.actions, artifactDelta: {} } };
  return toFrame(withoutArtifacts, undefined) + toFrame(withoutContent, complete.seq);
}

/** Returns one frame. Only stored events have an id, after which a client can continue. */
function toFrame(event: Event, seq: number | undefined): string {
  const data = `data: ${wireEventJson(event)}\n\n`;
  return seq === undefined ? data : `id: ${seq}\n${data}`;
}

function isEmpty(map: { readonly [key: string]: unknown } | undefined): boolean {
  for (const _ in map) return false;
  return true;
}
