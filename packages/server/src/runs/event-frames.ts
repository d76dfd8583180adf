import type { Event } from '@thole/core';
import type { PartialJson } from '../http/partial-json.ts';
import { wireJson, withMaps } from '../http/wire-event.ts';

/** What goes over the wire for an event: one frame, or two where it says something and saves artifacts as well. */
export function eventFrames(given: Event, p: { split: boolean; partials?: PartialJson | undefined }): string {
  const event = withMaps(given);
  const isWhole = !p.split || !event.content?.parts?.length || isEmpty(event.actions.artifactDelta);
  if (isWhole && event.partial && p.partials) return `data: ${p.partials.of(event)}\n\n`;
  if (isWhole) return frame(event, event.seq);
  const { content: _, ...rest } = event;
  const said: Event = { ...event, actions: { ...event.actions, artifactDelta: {} } };
  return frame(said, undefined) + frame(rest, event.seq);
}

/** Only what is stored can be gone on from: partials have no id. */
function frame(event: Event, seq: number | undefined): string {
  const data = `data: ${wireJson(event)}\n\n`;
  return seq === undefined ? data : `id: ${seq}\n${data}`;
}

function isEmpty(map: { readonly [key: string]: unknown }): boolean {
  for (const _ in map) return false;
  return true;
}
