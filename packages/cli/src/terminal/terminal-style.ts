import type { EnvVars } from '@thole/core';

/** The kind of a text, which determines its colour. */
export type TextKind = 'author' | 'tool' | 'error' | 'note';

/** The style of texts in a terminal, a pipe or a file. */
export interface TerminalStyle {
  /** True if a line can be erased. Only then "working…" is shown. */
  readonly isTerminal: boolean;
  /** Returns the text in the colour of its kind; unchanged without colours. */
  paint(kind: TextKind, text: string): string;
}

const CODES: { readonly [kind in TextKind]: readonly [number, number] } = {
  author: [36, 39],
  tool: [2, 22],
  error: [31, 39],
  note: [2, 22],
};

/** The style of pipes and files: no colours and no "working…". */
export const plainStyle: TerminalStyle = { isTerminal: false, paint: (_kind, text) => text };

/**
 * Returns the style for an output. `NO_COLOR` disables colours. Returns `plainStyle` for `TERM=dumb` and for an output that is
 * not a terminal.
 */
export function terminalStyle(output: { isTTY?: boolean | undefined }, env: EnvVars): TerminalStyle {
  if (output.isTTY !== true || env['TERM'] === 'dumb') return plainStyle;
  if (env['NO_COLOR']) return { ...plainStyle, isTerminal: true };
  const paint: TerminalStyle['paint'] = (kind, text) => {
    const [begin, end] = CODES[kind];
    return text === '' ? '' : `\u001b[${begin}m${text}\u001b[${end}m`;
  };
  return { isTerminal: true, paint };
}
