import type { EnvVars } from '@thole/core';

/** What a text is, for its colour. */
export type Kind = 'author' | 'tool' | 'error' | 'note';

/** How a run looks in the terminal, or in a pipe. */
export interface Look {
  /** Whether a line can be erased, so that "working…" may be shown. */
  readonly isTerminal: boolean;
  /** Returns the text in the colour of its kind; unchanged where there are no colours. */
  paint(kind: Kind, text: string): string;
}

const CODES: { readonly [kind in Kind]: readonly [number, number] } = {
  author: [36, 39],
  tool: [2, 22],
  error: [31, 39],
  note: [2, 22],
};

/** Neither colours nor a notice: for pipes and files. */
export const plainLook: Look = { isTerminal: false, paint: (_kind, text) => text };

/** Returns the look for an output. `NO_COLOR` takes the colours away; `TERM=dumb` and an output that is not a terminal take all. */
export function lookFor(output: { isTTY?: boolean | undefined }, env: EnvVars): Look {
  if (output.isTTY !== true || env['TERM'] === 'dumb') return plainLook;
  if (env['NO_COLOR']) return { ...plainLook, isTerminal: true };
  const paint: Look['paint'] = (kind, text) => {
    const [begin, end] = CODES[kind];
    return text === '' ? '' : `\u001b[${begin}m${text}\u001b[${end}m`;
  };
  return { isTerminal: true, paint };
}
