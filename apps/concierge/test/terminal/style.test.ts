import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { Chat } from '../../src/terminal/chat.ts';
import { terminalStyle } from '@thole/cli/terminal';
import { chatWith } from '../chat-with.ts';

async function written(output: { isTTY?: boolean }, env: { [name: string]: string }): Promise<string> {
  const { concierge } = chatWith({ llm: new ScriptedLlm(says('Good morning.')) });
  let text = '';
  const chat = new Chat({
    concierge,
    verbose: false,
    style: terminalStyle(output, env),
    write: (each) => void (text += each),
  });
  await chat.handle('Hello.');
  return text;
}

describe('npm run chat', () => {
  it('shows that the model is working and uses colours in a terminal', async () => {
    expect(await written({ isTTY: true }, {})).toBe(
      '\u001b[2mworking…\u001b[22m\r\u001b[K\u001b[36mconcierge: \u001b[39mGood morning.\n',
    );
  });

  it('uses no colours with NO_COLOR, and writes plain text to a pipe', async () => {
    expect(await written({ isTTY: true }, { NO_COLOR: '1' })).toBe('working…\r\u001b[Kconcierge: Good morning.\n');
    expect(await written({}, {})).toBe('concierge: Good morning.\n');
  });
});
