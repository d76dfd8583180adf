import { readCallArgs } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import { isRecord } from './is-record.ts';
import { textOrEmpty } from './text-or-empty.ts';

interface OpenCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  /** The text so far, or an object if the server sends an object. */
  args: string | JsonObject;
  /** Members of the call that only its server understands. */
  readonly rest: JsonObject;
}

type Delta = { readonly [key: string]: unknown };

/**
 * Collects calls: complete or in fragments, with or without index, id or type, with arguments as text or object. A
 * fragment belongs to the call with the same index, otherwise to the call with the same id, otherwise to the last call. A
 * fragment with another name or id, or after complete arguments, begins a new call. In a complete message, each entry is a
 * separate call.
 */
export class ChatCalls {
  readonly #calls: OpenCall[] = [];

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  add(deltas: unknown, { isComplete = false }: { isComplete?: boolean } = {}): void {
    if (!Array.isArray(deltas)) return;
    for (const delta of deltas) if (isRecord(delta)) this.#add(delta, isComplete);
  }

  /** Returns the calls in the order in which they began. A call has no id if the server sent none or sent one twice. */
  parts(provider: string): Part[] {
    const seen = new Set<string>();
    return this.#calls.flatMap(({ id, name, args, rest }): Part[] => {
      if (name === '' && args === '') return [];
      const isNew = id !== '' && !seen.has(id);
      seen.add(id);
      const functionCall = { ...(isNew && { id }), name, ...readCallArgs(args) };
      const partMetadata = Object.keys(rest).length > 0 ? { provider, call: rest } : undefined;
      return [{ functionCall, ...(partMetadata && { partMetadata }) }];
    });
  }

  #add(delta: Delta, isComplete: boolean): void {
    const source = isRecord(delta['function']) ? delta['function'] : delta;
    const [id, name] = [textOrEmpty(delta['id']), textOrEmpty(source['name'])];
    const index = typeof delta['index'] === 'number' ? delta['index'] : undefined;
    let call = isComplete ? undefined : this.#find(index, id);
    if (!call || beginsNewCall(call, { index, id, name })) {
      call = { index, id, name, args: '', rest: {} };
      this.#calls.push(call);
    }
    call.id ||= id;
    call.name ||= name;
    addArgs(call, source['arguments']);
    for (const key in delta) {
      if (!READ_MEMBERS.has(key) && delta[key] !== null && source !== delta) call.rest[key] = delta[key] as JsonObject;
    }
  }

  #find(index: number | undefined, id: string): OpenCall | undefined {
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index);
    if (id !== '') return this.#calls.findLast((call) => call.id === id);
    return this.#calls.at(-1);
  }
}

const READ_MEMBERS = new Set(['index', 'id', 'type', 'function']);

function beginsNewCall(call: OpenCall, delta: { index: number | undefined; id: string; name: string }): boolean {
  if (delta.name === '' || call.name === '') return false;
  if (delta.id !== '' && call.id !== '') return delta.id !== call.id;
  return delta.name !== call.name || isCompleteJson(call.args);
}

function isCompleteJson(args: string | JsonObject): boolean {
  return typeof args !== 'string' || (args.trim() !== '' && readCallArgs(args).brokenArgs === undefined);
}

function addArgs(call: OpenCall, args: unknown): void {
  if (typeof args === 'string') call.args = typeof call.args === 'string' ? call.args + args : call.args;
  else if (isRecord(args)) call.args = args as JsonObject;
  else if (args !== undefined && args !== null) call.args = JSON.stringify(args);
}
