import { getFunctionCalls, getFunctionResponses, textOf } from '@thole/core';
import type { Event, FunctionCall } from '@thole/core';
import { plainText } from './plain-text.ts';
import type { RunOutput } from './run-output.ts';
import { toolLine } from './tool-line.ts';

/** Writes a run as it happens: what is said, word by word where it is streamed, and a line for each tool's answer. */
export async function showRun(run: AsyncIterable<Event>, output: RunOutput): Promise<void> {
  const { look } = output;
  const calls = new Map<string | undefined, FunctionCall>();
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
        endLine();
        output.working();
      }
      for (const { id, name, response } of getFunctionResponses(event)) {
        endLine();
        output.write(`${look.paint('tool', toolLine(calls.get(id) ?? { name, args: {} }, response))}\n`);
        output.working();
      }
    }
  } finally {
    endLine();
    output.quiet();
  }
}
