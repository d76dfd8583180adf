import { getFunctionCalls, getFunctionResponses, textOf } from '@thole/core';
import type { Event, FunctionCall } from '@thole/core';
import { plainText } from './plain-text.ts';
import { toolLine } from './tool-line.ts';

/** Writes a run as it happens: what is said, word by word where it is streamed, and a line for each tool's answer. */
export async function showRun(run: AsyncIterable<Event>, write: (text: string) => void): Promise<void> {
  const calls = new Map<string | undefined, FunctionCall>();
  let speaking: string | undefined;
  try {
    for await (const event of run) {
      const text = plainText(textOf(event.content));
      if (text && (event.partial || speaking !== event.id)) {
        if (speaking !== event.id) write(`${speaking === undefined ? '' : '\n'}${event.author}: `);
        write(text);
        speaking = event.id;
      }
      for (const call of getFunctionCalls(event)) calls.set(call.id, call);
      for (const { id, name, response } of getFunctionResponses(event)) {
        if (speaking !== undefined) write('\n');
        speaking = undefined;
        write(`${toolLine(calls.get(id) ?? { name, args: {} }, response)}\n`);
      }
    }
  } finally {
    if (speaking !== undefined) write('\n');
  }
}
