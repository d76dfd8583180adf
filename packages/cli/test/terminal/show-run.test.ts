import { createEvent } from '@thole/core';
import type { Event, EventInit } from '@thole/core';
import { plainStyle, showRun, terminalStyle } from '@thole/cli/terminal';
import { describe, expect, it } from 'vitest';

async function* run(...inits: readonly Partial<EventInit>[]): AsyncGenerator<Event, void> {
  for (const init of inits) yield createEvent({ author: 'hello', ...init });
}

async function outputOf(events: AsyncIterable<Event>, style = plainStyle): Promise<string> {
  let output = '';
  await showRun(events, { style, write: (text) => (output += text) });
  return output;
}

const text = (value: string): EventInit['content'] => ({ role: 'model', parts: [{ text: value }] });

describe('showRun', () => {
  it('writes streamed words once, and complete texts on separate lines', async () => {
    const events = run(
      { id: 'a', partial: true, content: text('Good ') },
      { id: 'a', partial: true, content: text('day.') },
      { id: 'a', content: text('Good day.') },
      { id: 'b', author: 'other', content: text('Bye\u001b[31m.') },
    );
    expect(await outputOf(events)).toBe('hello: Good day.\nother: Bye[31m.\n');
  });

  it('uses the plain style by default', async () => {
    let output = '';
    await showRun(run({ content: text('Hi.') }), { write: (each) => (output += each) });
    expect(output).toBe('hello: Hi.\n');
  });

  it('ends the line and erases "working…" when the run fails', async () => {
    async function* failing(): AsyncGenerator<Event, void> {
      yield createEvent({ author: 'hello', id: 'a', partial: true, content: text('Good ') });
      throw new Error('No answer.');
    }
    let output = '';
    const style = { ...plainStyle, isTerminal: true };
    await expect(showRun(failing(), { style, write: (each) => (output += each) })).rejects.toThrow('No answer.');
    expect(output).toBe('working…\r\u001b[Khello: Good \n');
  });
});

describe('terminalStyle', () => {
  it.each([
    ['a terminal', { isTTY: true }, {}, true, '\u001b[31mx\u001b[39m'],
    ['a terminal with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, true, 'x'],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false, 'x'],
    ['a pipe', {}, {}, false, 'x'],
  ])('returns the style of %s', (_, output, env, isTerminal, painted) => {
    const style = terminalStyle(output, env);
    expect([style.isTerminal, style.paint('error', 'x')]).toEqual([isTerminal, painted]);
  });
});
