import type { Event, Json, SessionSummary } from '@thole/core';
import { textOf } from '@thole/core';
import { SESSION_METADATA } from '../inspector/state/state-groups.ts';
import type { Command } from '../state/commands.ts';
import { displayNameOf } from '../state/title-of.ts';

/** An item that the palette finds. */
export interface PaletteItem {
  id: string;
  kind: 'command' | 'session' | 'event' | 'tool' | 'state';
  label: string;
  /** Secondary text next to the title. */
  detail?: string | undefined;
  keys?: string | undefined;
}

/** The items that the palette searches. */
export interface PaletteSources {
  commands: readonly Command[];
  sessions: readonly SessionSummary[];
  events: readonly Event[];
  state: Readonly<Record<string, Json>>;
  /** The tools of the app's agents, called or not. */
  tools: readonly { name: string; description: string }[];
}

/** Maximum number of items of each kind. */
const MAX_ITEMS = 8;

/**
 * Returns items that contain every word of the query, kind by kind. Without a query: commands and the newest
 * sessions.
 */
export function findItems(query: string, sources: PaletteSources): PaletteItem[] {
  const words = query
    .toLocaleLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matches = (text: string): boolean => {
    const lower = text.toLocaleLowerCase();
    return words.every((word) => lower.includes(word));
  };
  return [
    ...sources.commands
      .filter(({ label, when }) => matches(label) && when?.() !== false)
      .map(({ id, label, keys }): PaletteItem => ({ id: `command:${id}`, kind: 'command', label, keys }))
      .slice(0, words.length === 0 ? MAX_ITEMS : undefined),
    ...firstOf(sources.sessions, (session) => {
      const label = displayNameOf(session) ?? session.id;
      return matches(`${label} ${session.id}`) ? { id: `session:${session.id}`, kind: 'session', label } : undefined;
    }),
    ...(words.length === 0 ? [] : [...findTools(sources.tools, matches), ...findEvents(sources.events, matches)]),
    ...(words.length === 0 ? [] : findStateKeys(sources.state, matches)),
  ];
}

function findEvents(events: readonly Event[], matches: (text: string) => boolean): PaletteItem[] {
  const newest = events.toReversed();
  const tools = firstOf(newest, (event) => {
    const call = event.content?.parts?.find((part) => part.functionCall)?.functionCall;
    if (!call || !matches(`${call.name} tool`)) return undefined;
    return { id: `tool:${event.id}`, kind: 'tool', label: call.name, detail: shorten(JSON.stringify(call.args)) };
  });
  const texts = firstOf(newest, (event) => {
    const text = textOf(event.content);
    if (!(text !== '' && matches(text)) && !(event.errorCode && matches(event.errorCode))) return undefined;
    return { id: `event:${event.id}`, kind: 'event', label: shorten(text || event.errorCode!), detail: event.author };
  });
  return [...tools, ...texts];
}

function findTools(tools: PaletteSources['tools'], matches: (text: string) => boolean): PaletteItem[] {
  return firstOf(tools, ({ name, description }) =>
    matches(`${name} tool`)
      ? { id: `declared:${name}`, kind: 'tool', label: name, detail: shorten(description) }
      : undefined,
  );
}

function findStateKeys(state: Readonly<Record<string, Json>>, matches: (text: string) => boolean): PaletteItem[] {
  return firstOf(Object.entries(state), ([key, value]) =>
    key !== SESSION_METADATA && matches(key)
      ? { id: `state:${key}`, kind: 'state', label: key, detail: shorten(JSON.stringify(value)) }
      : undefined,
  );
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => PaletteItem | undefined): PaletteItem[] {
  const found: PaletteItem[] = [];
  for (const item of items) {
    const one = find(item);
    if (one) found.push(one);
    if (found.length >= MAX_ITEMS) break;
  }
  return found;
}

const shorten = (text: string): string => text.slice(0, 120).replaceAll(/\s+/g, ' ');
