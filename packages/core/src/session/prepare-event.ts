import { actionMapNames, createActionMaps, NO_ACTIONS } from '../event/event-actions.ts';
import type { EventActions } from '../event/event-actions.ts';
import type { Event } from '../event/event.ts';
import { assertSeconds } from '../errors/assert-seconds.ts';
import { failInvalidJson, invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { JsonCopier, jsonBytes, EMPTY_OBJECT } from '../json/copy-json.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { Json } from '../json/json.ts';
import { setOwn } from '../json/own.ts';
import { splitByScope, StatePrefix } from '../state/scopes.ts';
import type { ScopedDelta, StateDelta } from '../state/scopes.ts';

/** Maximum sizes of JSON texts in bytes of UTF-8. */
export interface SizeLimits {
  eventBytes: number;
  stateValueBytes: number;
}

/** Maximum number of bytes per character in JSON text: a control character is written as `\u0000`. */
const BYTES_PER_CHARACTER = 6;

/**
 * Validates, copies and freezes an event in one pass, without `temp:` keys and the caller's `seq`. The outermost object is not
 * frozen, because the store sets its `seq`. The caller's event is not changed.
 */
export function prepareEvent(event: Event, limits: SizeLimits): { event: Event; delta: ScopedDelta } {
  assertShape(event);
  const copier = new JsonCopier(failInvalidJson);
  const copy: { [key: string]: Json } = {};
  let actions: EventActions | undefined;
  const members = event as unknown as { [key: string]: unknown };
  for (const key in members) {
    const value = members[key];
    if (value === undefined || key === 'seq' || key === 'partial' || !Object.hasOwn(members, key)) continue;
    if (key === 'actions') {
      actions = copyActions(event.actions, copier, limits);
      setOwn(copy, key, actions as unknown as Json);
    } else {
      setOwn(copy, key, copier.copy(value, 'event', key));
    }
  }
  if (copier.size * BYTES_PER_CHARACTER > limits.eventBytes)
    assertSize({ name: `event ${event.id}`, path: 'event' }, copy, limits.eventBytes);
  return { event: copy as unknown as Event, delta: splitByScope(actions!.stateDelta) };
}

/** Validates, copies and freezes state changes that are not part of an event, without `temp:` keys. */
export function copyDelta(
  delta: StateDelta,
  name: string,
  limits: SizeLimits,
  copier: JsonCopier = new JsonCopier(failInvalidJson),
): StateDelta {
  if (!isPlainObject(delta)) throw invalidInput(name, 'an object', delta);
  const keys = Object.keys(delta);
  if (keys.length === 0) return EMPTY_OBJECT;
  const copy: StateDelta = {};
  for (const key of keys) {
    const value = delta[key];
    if (value === undefined) continue;
    const before = copier.size;
    const path = `${name}[${JSON.stringify(key)}]`;
    const copied = copier.copy(value, path);
    if ((copier.size - before) * BYTES_PER_CHARACTER > limits.stateValueBytes)
      assertSize({ name: path, path }, copied, limits.stateValueBytes);
    copier.size += key.length + 4;
    if (!key.startsWith(StatePrefix.TEMP)) setOwn(copy, key, copied);
  }
  return Object.freeze(copy);
}

function assertSize({ name, path }: { name: string; path: string }, value: Json, limit: number): void {
  const bytes = jsonBytes(value);
  if (bytes <= limit) return;
  throw new TholeError('VALUE_TOO_LARGE', `${name} must be at most ${limit} bytes of JSON, but it has ${bytes}.`, {
    details: { path, bytes, limit },
  });
}

function copyActions(actions: EventActions, copier: JsonCopier, limits: SizeLimits): EventActions {
  for (const map of actionMapNames) {
    if (map !== 'stateDelta' && actions[map] !== undefined && !isPlainObject(actions[map]))
      throw invalidInput(`event.actions.${map}`, 'an object', actions[map]);
  }
  let copy: { [key: string]: Json } | undefined;
  const set = (name: string, value: Json): void => setOwn((copy ??= createActionMaps(() => EMPTY_OBJECT)), name, value);
  const delta = actions.stateDelta;
  if (delta !== undefined) {
    const copied = copyDelta(delta, 'event.actions.stateDelta', limits, copier);
    if (copied !== EMPTY_OBJECT) set('stateDelta', copied);
  }
  const members = actions as unknown as { [key: string]: unknown };
  for (const key in members) {
    if (key === 'stateDelta' || members[key] === undefined || !Object.hasOwn(members, key)) continue;
    const member = copier.copy(members[key], 'event.actions', key);
    if (member !== EMPTY_OBJECT || !Object.hasOwn(NO_ACTIONS, key)) set(key, member);
  }
  return copy === undefined ? NO_ACTIONS : (Object.freeze(copy) as unknown as EventActions);
}

function assertShape(event: Event): void {
  if (!isPlainObject(event)) throw invalidInput('event', 'an event', event);
  for (const name of ['id', 'invocationId', 'author'] as const) {
    if (typeof event[name] !== 'string' || event[name] === '')
      throw invalidInput(`event.${name}`, 'a string that is not empty', event[name]);
  }
  assertSeconds('event.timestamp', event.timestamp);
  if (!isPlainObject(event.actions)) throw invalidInput('event.actions', 'an object', event.actions);
  if (event.content !== undefined && event.content !== null) assertParts(event.content);
}

function assertParts(content: unknown): void {
  if (!isPlainObject(content)) throw invalidInput('event.content', 'an object', content);
  const { parts = [] } = content;
  if (!Array.isArray(parts)) throw invalidInput('event.content.parts', 'an array of parts', parts);
  for (let i = 0; i < parts.length; i++) {
    const part: unknown = parts[i];
    if (!isPlainObject(part)) throw invalidInput(`event.content.parts[${i}]`, 'an object', part);
    if (part['text'] !== undefined && typeof part['text'] !== 'string')
      throw invalidInput(`event.content.parts[${i}].text`, 'a string', part['text']);
  }
}
