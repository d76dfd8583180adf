import type { Content, FunctionCall, FunctionResponse } from './content.ts';

/** A call in a history, its position and its answer. */
export interface PairedCall {
  readonly call: FunctionCall;
  /** Index of the content. */
  readonly content: number;
  /** Index of the part in its content. */
  readonly part: number;
  /** The last answer. Undefined for an open call. */
  readonly answer: FunctionResponse | undefined;
}

/** The calls and answers of a history by position. */
export interface PairedCalls {
  /** All calls, in order. */
  readonly calls: readonly PairedCall[];
  /**
   * Returns the call at this position, or the call that the answer at this position belongs to. Undefined for an
   * answer without a call.
   */
  at(content: number, part: number): PairedCall | undefined;
  /** True if a later answer to the same call replaces the answer at this position: only the last one counts. */
  isReplaced(content: number, part: number): boolean;
  /** Returns the calls of this content without an answer, in order. */
  openIn(content: number): readonly PairedCall[];
}

/**
 * Pairs the calls of a history with their answers. An answer belongs to the first earlier open call with the same id.
 * If every call with this id has an answer, the new answer replaces the answer of the last call. An answer with an
 * unknown id belongs to the first open call with its name and without an id. An answer without an id belongs to the
 * first open call with its name. Takes time linear in the history.
 */
export function pairCalls(contents: readonly Content[]): PairedCalls {
  const calls: Pair[] = [];
  const places = new Map<string, Pair>();
  const byId = new Map<string, Queue>();
  const byName = new Map<string, Queue>();
  const nameless = new Map<string, Queue>();
  for (const [content, { parts = [] }] of contents.entries()) {
    for (const [part, { functionCall: call, functionResponse: answer }] of parts.entries()) {
      if (call) {
        const pair: Pair = { call, content, part, answer: undefined, answeredAt: undefined };
        calls.push(pair);
        places.set(placeOf(content, part), pair);
        add(byName, call.name, pair);
        if (call.id) add(byId, call.id, pair);
        else add(nameless, call.name, pair);
      } else if (answer) {
        const { id, name } = answer;
        const known = id ? byId.get(id) : undefined;
        const pair = known ? (firstOpen(known) ?? known.pairs.at(-1)) : firstOpen((id ? nameless : byName).get(name));
        if (!pair) continue;
        pair.answer = answer;
        pair.answeredAt = placeOf(content, part);
        places.set(pair.answeredAt, pair);
      }
    }
  }
  const open = new Map<number, Pair[]>();
  for (const pair of calls) {
    if (pair.answer) continue;
    const others = open.get(pair.content);
    if (others) others.push(pair);
    else open.set(pair.content, [pair]);
  }
  return {
    calls,
    at: (content, part) => places.get(placeOf(content, part)),
    isReplaced(content, part) {
      const pair = places.get(placeOf(content, part));
      if (!pair || (pair.content === content && pair.part === part)) return false;
      return pair.answeredAt !== placeOf(content, part);
    },
    openIn: (content) => open.get(content) ?? [],
  };
}

interface Pair extends PairedCall {
  answer: FunctionResponse | undefined;
  answeredAt: string | undefined;
}

/** Calls in order. The calls before `next` have an answer. */
interface Queue {
  readonly pairs: Pair[];
  next: number;
}

function add(queues: Map<string, Queue>, key: string, pair: Pair): void {
  const queue = queues.get(key);
  if (queue) queue.pairs.push(pair);
  else queues.set(key, { pairs: [pair], next: 0 });
}

function firstOpen(queue: Queue | undefined): Pair | undefined {
  if (!queue) return undefined;
  while (queue.pairs[queue.next]?.answer) queue.next++;
  return queue.pairs[queue.next];
}

const placeOf = (content: number, part: number): string => `${content}.${part}`;
