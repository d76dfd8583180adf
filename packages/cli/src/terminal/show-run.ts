import { getFunctionCalls, getFunctionResponses, textOf } from '@thole/core';
import type { Event, FunctionCall } from '@thole/core';
import { plainText } from './plain-text.ts';
import type { RunOutput } from './run-output.ts';
import { toolLine, waitingLine } from './tool-line.ts';

/** Writes events as they come: what is said, word by word where it is streamed, and a line for each tool's answer. */
export async function showRun(run: AsyncIterable<Event>, output: RunOutput): Promise<void> {
  const { look } = output;
  const calls = new Map<string | undefined, FunctionCall>();
  const waiting = new Map<string | undefined, FunctionCall>();
  let speaking: string | undefined;
  const endLine = (): void => {
    if (speaking !== undefined) output.write('\n');
    speaking = undefined;
  };
  output.working();
  try {
    for await (const event of run) {
      const text = plainText(textOf(event.content));
      if (text && (event.partial || speaking !== event.id)) {
        if (speaking !== event.id) {
          endLine();
          output.write(look.paint('author', `${event.author}: `));
        }
        output.write(text);
        speaking = event.id;
      }
      for (const call of getFunctionCalls(event)) {
        calls.set(call.id, call);
        if (event.longRunningToolIds?.includes(call.id ?? '')) waiting.set(call.id, call);
        endLine();
        output.working();
      }
      for (const { id, name, response } of getFunctionResponses(event)) {
        endLine();
        output.write(`${look.paint('tool', toolLine(calls.get(id) ?? { name, args: {} }, response))}\n`);
        output.working();
      }
    }
    endLine();
    for (const call of waiting.values()) output.write(`${look.paint('tool', waitingLine(call))}\n`);
  } finally {
    endLine();
    output.quiet();
  }
}
