import type { Event, Json, SessionSummary } from '@thole/core';
import { textOf } from '@thole/core';
import { SESSION_METADATA } from '../inspector/state/state-groups.ts';
import type { Command } from '../state/commands.ts';
import { displayNameOf } from '../state/title-of.ts';

/** An item that the palette finds. */
export interface Found {
  id: string;
  kind: 'command' | 'session' | 'event' | 'tool' | 'state';
  label: string;
  /** Secondary text next to the title. */
  detail?: string | undefined;
  keys?: string | undefined;
}

/** The items that the palette searches. */
export interface Places {
  commands: readonly Command[];
  sessions: readonly SessionSummary[];
  events: readonly Event[];
  state: Readonly<Record<string, Json>>;
  /** The tools of the app's agents, called or not. */
  tools: readonly { name: string; description: string }[];
}

/** Maximum number of items of each kind. */
const MOST = 8;

/**
 * Returns items that contain every word of the query, kind by kind. Without a query: commands and the newest
 * sessions.
 */
export function findItems(query: string, places: Places): Found[] {
  const words = query
    .toLocaleLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const holds = (text: string): boolean => {
    const lower = text.toLocaleLowerCase();
    return words.every((word) => lower.includes(word));
  };
  return [
    ...places.commands
      .filter(({ label, when }) => holds(label) && when?.() !== false)
      .map(({ id, label, keys }): Found => ({ id: `command:${id}`, kind: 'command', label, keys }))
      .slice(0, words.length === 0 ? MOST : undefined),
    ...firstOf(places.sessions, (session) => {
      const label = displayNameOf(session) ?? session.id;
      return holds(`${label} ${session.id}`) ? { id: `session:${session.id}`, kind: 'session', label } : undefined;
    }),
    ...(words.length === 0 ? [] : [...foundTools(places.tools, holds), ...foundEvents(places.events, holds)]),
    ...(words.length === 0 ? [] : foundState(places.state, holds)),
  ];
}

function foundEvents(events: readonly Event[], holds: (text: string) => boolean): Found[] {
  const newest = events.toReversed();
  const tools = firstOf(newest, (event) => {
    const call = event.content?.parts?.find((part) => part.functionCall)?.functionCall;
    if (!call || !holds(`${call.name} tool`)) return undefined;
    return { id: `tool:${event.id}`, kind: 'tool', label: call.name, detail: short(JSON.stringify(call.args)) };
  });
  const said = firstOf(newest, (event) => {
    const text = textOf(event.content);
    if (!(text !== '' && holds(text)) && !(event.errorCode && holds(event.errorCode))) return undefined;
    return { id: `event:${event.id}`, kind: 'event', label: short(text || event.errorCode!), detail: event.author };
  });
  return [...tools, ...said];
}

function foundTools(tools: Places['tools'], holds: (text: string) => boolean): Found[] {
  return firstOf(tools, ({ name, description }) =>
    holds(`${name} tool`)
      ? { id: `declared:${name}`, kind: 'tool', label: name, detail: short(description) }
      : undefined,
  );
}

function foundState(state: Readonly<Record<string, Json>>, holds: (text: string) => boolean): Found[] {
  return firstOf(Object.entries(state), ([key, value]) =>
    key !== SESSION_METADATA && holds(key)
      ? { id: `state:${key}`, kind: 'state', label: key, detail: short(JSON.stringify(value)) }
      : undefined,
  );
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => Found | undefined): Found[] {
  const found: Found[] = [];
  for (const item of items) {
    const one = find(item);
    if (one) found.push(one);
    if (found.length >= MOST) break;
  }
  return found;
}

const short = (text: string): string => text.slice(0, 120).replaceAll(/\s+/g, ' ');
