import type { Content, FunctionResponse } from '@thole/core';

/** A call of the history as it is sent: under which id, and with which answer. */
export interface PairedCall {
  readonly id: string;
  /** Undefined for a call that is still open. */
  answer: FunctionResponse | undefined;
}

/** The calls of a history by the place where they stand (`<content>.<part>`), and the places of answers to no call. */
export interface PairedCalls {
  readonly calls: ReadonlyMap<string, PairedCall>;
  readonly strays: ReadonlySet<string>;
}

/**
 * Calls with their answers: that of the call's id, else the next of its name. An id that the server would refuse, one that is missing or taken is replaced by one made from the old id,
 * or from the place: the same history has the same ids.
 */
export function pairCalls(contents: readonly Content[], accepts: RegExp): PairedCalls {
  const strays = new Set<string>();
  const calls = new Map<string, PairedCall>();
  const open: { given: string | undefined; name: string; call: PairedCall }[] = [];
  const taken = new Set<string>();
  for (const [i, content] of contents.entries()) {
    for (const [j, { functionCall, functionResponse }] of (content.parts ?? []).entries()) {
      const place = `${i}.${j}`;
      if (functionCall) {
        const call: PairedCall = { id: idToSend(functionCall.id, place, accepts, taken), answer: undefined };
        taken.add(call.id);
        calls.set(place, call);
        open.push({ given: functionCall.id || undefined, name: functionCall.name, call });
      }
      if (functionResponse && !answer(open, functionResponse)) strays.add(place);
    }
  }
  return { calls, strays };
}

/** A later answer to the same call replaces the earlier one. Answers whether there was a call. */
function answer(
  calls: readonly { given: string | undefined; name: string; call: PairedCall }[],
  response: FunctionResponse,
): boolean {
  const { id, name } = response;
  const asked = id
    ? (calls.findLast((each) => each.given === id) ?? calls.find((each) => !each.given && isOpen(each, name)))
    : calls.find((each) => isOpen(each, name));
  if (asked) asked.call.answer = response;
  return asked !== undefined;
}

function isOpen(each: { name: string; call: PairedCall }, name: string): boolean {
  return each.name === name && !each.call.answer;
}

function idToSend(id: string | undefined, place: string, accepts: RegExp, taken: ReadonlySet<string>): string {
  if (id && accepts.test(id) && !taken.has(id)) return id;
  for (let attempt = 0; ; attempt++) {
    const made = nineLetters(`${id ?? ''} ${id && attempt === 0 ? '' : place} ${attempt}`);
    if (!taken.has(made)) return made;
  }
}

/** Nine letters and digits, which every server takes as an id: FNV-1a over the text, twice. */
function nineLetters(text: string): string {
  const letters =
    hash(text, 0x811c9dc5).toString(36).padStart(7, '0') + hash(text, 0x01000193).toString(36).padStart(7, '0');
  return letters.slice(-9);
}

function hash(text: string, from: number): number {
  let value = from;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
