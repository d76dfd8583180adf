import { getFunctionCalls, getFunctionResponses, pendingInterrupts, textOf } from '@thole/core';
import { requestKindOf } from '@thole/core/kit';
import type { Event, FunctionCall, InterruptKind } from '@thole/core';
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
  /** Kinds of open interrupts whose answers the program requests itself. No line is written for them. Default: none. */
  asksFor?: readonly InterruptKind[] | undefined;
}

/**
 * Writes the events of a run as they arrive: texts, word by word if they are streamed, and one line for each tool call.
 */
export async function showRun(run: AsyncIterable<Event> | Iterable<Event>, options: ShowRunOptions): Promise<void> {
  const { asksFor = [], style = plainStyle, write } = options;
  const output = new RunOutput(write, style);
  const calls = new Map<string | undefined, FunctionCall>();
  const stored: Event[] = [];
  let openEventId: string | undefined;
  const endLine = (): void => {
    if (openEventId !== undefined) output.write('\n');
    openEventId = undefined;
  };
  output.showNotice();
  try {
    for await (const event of run) {
      if (!event.partial) stored.push(event);
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
        endLine();
        output.showNotice();
      }
      for (const { id, name, response } of getFunctionResponses(event)) {
        if (requestKindOf(name) || isPlaceholder(event, id)) continue;
        endLine();
        output.write(`${style.paint('tool', toolLine(calls.get(id) ?? { name, args: {} }, response))}\n`);
        output.showNotice();
      }
    }
    endLine();
    for (const each of pendingInterrupts(stored))
      if (!asksFor.includes(each.kind)) output.write(`${style.paint('tool', waitingLine(each))}\n`);
  } finally {
    endLine();
    output.clearNotice();
  }
}

/** True if a response is a placeholder for a call that waits for a person. */
function isPlaceholder({ actions }: Event, id: string | undefined): boolean {
  if (id === undefined) return false;
  return Object.hasOwn(actions.requestedToolConfirmations, id) || Object.hasOwn(actions.requestedAuthConfigs, id);
}
