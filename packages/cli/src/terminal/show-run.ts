import { getFunctionCalls, getFunctionResponses, textOf } from '@thole/core';
import type { Event, FunctionCall } from '@thole/core';
import { plainText } from './plain-text.ts';
import { toolLine, waitingLine } from './tool-line.ts';

/** Writes events as they come: what is said, word by word where it is streamed, and a line for each tool's answer. */
export async function showRun(run: AsyncIterable<Event>, write: (text: string) => void): Promise<void> {
  const calls = new Map<string | undefined, FunctionCall>();
  const waiting = new Map<string | undefined, FunctionCall>();
  let speaking: string | undefined;
  const endLine = (): void => {
    if (speaking !== undefined) write('\n');
    speaking = undefined;
  };
  try {
    for await (const event of run) {
      const text = plainText(textOf(event.content));
      if (text && (event.partial || speaking !== event.id)) {
        if (speaking !== event.id) {
          endLine();
          write(`${event.author}: `);
        }
        write(text);
        speaking = event.id;
      }
      for (const call of getFunctionCalls(event)) {
        calls.set(call.id, call);
        if (event.longRunningToolIds?.includes(call.id ?? '')) waiting.set(call.id, call);
      }
      for (const { id, name, response } of getFunctionResponses(event)) {
        endLine();
        write(`${toolLine(calls.get(id) ?? { name, args: {} }, response)}\n`);
      }
    }
    endLine();
    for (const call of waiting.values()) write(`${waitingLine(call)}\n`);
  } finally {
    endLine();
  }
}
