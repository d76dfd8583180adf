import { getFunctionCalls, getFunctionResponses, textOf } from '@thole/core';
import type { Event, FunctionCall } from '@thole/core';
import { plainText } from './plain-text.ts';
import { RunOutput } from './run-output.ts';
import { plainStyle } from './terminal-style.ts';
import type { TerminalStyle } from './terminal-style.ts';
import { toolLine, waitingLine } from './tool-line.ts';

/** Options of `showRun`. */
export interface ShowRunOptions {
  write: (text: string) => void;
  /** Default: `plainStyle`. */
  style?: TerminalStyle | undefined;
}

/**
 * Writes the events of a run as they arrive: texts, word by word if they are streamed, and one line for each tool call.
 */
export async function showRun(run: AsyncIterable<Event>, { write, style = plainStyle }: ShowRunOptions): Promise<void> {
  const output = new RunOutput(write, style);
  const calls = new Map<string | undefined, FunctionCall>();
  const waitingCalls = new Map<string | undefined, FunctionCall>();
  let openEventId: string | undefined;
  const endLine = (): void => {
    if (openEventId !== undefined) output.write('\n');
    openEventId = undefined;
  };
  output.showNotice();
  try {
    for await (const event of run) {
      const text = plainText(textOf(event.content));
      // The complete event repeats the text of its partial events.
      if (text && (event.partial || openEventId !== event.id)) {
        if (openEventId !== event.id) {
          endLine();
          output.write(style.paint('author', `${event.author}: `));
        }
        output.write(text);
        openEventId = event.id;
      }
      for (const call of getFunctionCalls(event)) {
        calls.set(call.id, call);
        if (event.longRunningToolIds?.includes(call.id ?? '')) waitingCalls.set(call.id, call);
        endLine();
        output.showNotice();
      }
      for (const { id, name, response } of getFunctionResponses(event)) {
        endLine();
        output.write(`${style.paint('tool', toolLine(calls.get(id) ?? { name, args: {} }, response))}\n`);
        output.showNotice();
      }
    }
    endLine();
    for (const call of waitingCalls.values()) output.write(`${style.paint('tool', waitingLine(call))}\n`);
  } finally {
    endLine();
    output.clearNotice();
  }
}
