export { codedLine } from './error-line.ts';
export { lineWriter } from './line-writer.ts';
export { oneLine, plainText } from './plain-text.ts';
export { readLines } from './read-lines.ts';
export type { ReadLinesOptions } from './read-lines.ts';
export { showRun } from './show-run.ts';
export type { ShowRunOptions } from './show-run.ts';
export { plainStyle, terminalStyle } from './terminal-style.ts';
export type { TerminalStyle, TextKind } from './terminal-style.ts';
