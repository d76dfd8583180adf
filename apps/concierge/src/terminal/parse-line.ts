/** The kind of a line: empty, a command with its argument, or a message. */
export type Line =
  | { kind: 'empty' }
  | { kind: 'command'; name: string; argument: string }
  | { kind: 'message'; text: string };

export function parseLine(line: string): Line {
  const text = line.replace(/^\uFEFF/u, '').trim();
  if (text === '') return { kind: 'empty' };
  if (!text.startsWith('/')) return { kind: 'message', text };
  const [, name = '', argument = ''] = /^\/(\S*)\s*([^]*)$/u.exec(text) ?? [];
  return { kind: 'command', name: name.toLowerCase(), argument };
}
