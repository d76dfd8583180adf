import type { Content, FunctionCall, FunctionResponse } from '@thole/core';

/** Which id stands on which call and answer of the contents, by their places. */
export interface PairedCalls {
  /** Of the call, or of the answer to a call; undefined on an answer that has no call. */
  idAt(content: number, part: number): string | undefined;
  /** Calls of the content that no later part answers, in order. */
  openIn(content: number): readonly string[];
}

interface OpenCall {
  readonly id: string;
  readonly call: FunctionCall;
  readonly content: number;
}

/** Longer ones are refused. */
const MAX_ID_CHARACTERS = 64;

/**
 * Gives every call an id of its own, the same each time: its own where it has one that can be sent, else one made of its place. Answers
 * belong to the first call before them with their id that has none yet; where one of the two has no id, to the first of their name.
 */
export function pairCalls(contents: readonly Content[]): PairedCalls {
  const open: OpenCall[] = [];
  const used = new Set<string>();
  const ids = contents.map(({ parts = [] }, content) =>
    parts.map(({ functionCall: call, functionResponse: answer }, i) => {
      if (call) {
        const id = ownId(call, used) ?? `call_${content}_${i}`;
        used.add(id);
        open.push({ id, call, content });
        return id;
      }
      const at = answer ? answeredBy(answer, open) : -1;
      return at < 0 ? undefined : open.splice(at, 1)[0]!.id;
    }),
  );
  return {
    idAt: (content, part) => ids[content]?.[part],
    openIn: (content) => open.filter((each) => each.content === content).map(({ id }) => id),
  };
}

function ownId({ id }: FunctionCall, used: ReadonlySet<string>): string | undefined {
  return id === undefined || id === '' || id.length > MAX_ID_CHARACTERS || used.has(id) ? undefined : id;
}

function answeredBy({ id, name }: FunctionResponse, open: readonly OpenCall[]): number {
  const exactly = id ? open.findIndex(({ call }) => call.id === id) : -1;
  return exactly >= 0 ? exactly : open.findIndex(({ call }) => call.name === name && !(id && call.id));
}
