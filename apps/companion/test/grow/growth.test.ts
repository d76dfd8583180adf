import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEvent, textOf } from '@thole/core';
import type { Llm } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { runGrowCommand } from '../../src/grow/grow-command.ts';
import { Growth } from '../../src/grow/growth.ts';
import { folderForTest } from '../folder-for-test.ts';

const ann = { appName: 'companion', userId: 'ann' };
const proposal = (action: string, text: string, p: { target?: string; evidence?: string[] } = {}) => ({
  ...{ action, text, target: p.target ?? '', evidence: p.evidence ?? ['t1'] },
  reason: 'She said so.',
});

/** Ann wrote that Grace moved in, but memory still contains that she lives alone. */
async function usage(...proposals: object[]) {
  const runtime = new FixedRuntime();
  const sessions = new InMemorySessionService({ runtime });
  const memory = new InMemoryMemoryService({ runtime });
  const session = await sessions.createSession({ ...ann, sessionId: 'ann:terminal' });
  const content = { role: 'user' as const, parts: [{ text: 'Grace moved in with me.' }] };
  await sessions.appendEvent({ session, event: createEvent({ author: 'user', content }, runtime) });
  const lonely = { role: 'user' as const, parts: [{ text: 'Lives alone.' }] };
  await memory.addMemory({ ...ann, memories: [{ id: 'alone', kind: 'fact', content: lonely }] });
  const llm = new ScriptedLlm(says(JSON.stringify({ proposals })));
  const folder = join(folderForTest(), 'grow');
  const growth = new Growth({ appName: 'companion', sessions, memory, llm, folder, runtime });
  const facts = async (): Promise<string[]> => {
    const { memories } = await memory.listMemories({ ...ann, filter: { kinds: ['fact'], validAt: runtime.now() + 1 } });
    return memories.map(({ content: each }) => textOf(each));
  };
  async function grow(...argv: string[]): Promise<string> {
    let printed = '';
    await runGrowCommand({ argv, userId: 'ann', growth, print: (text) => (printed += text) });
    return printed;
  }
  return { facts, folder, grow, growth, memory, runtime, sessions };
}

describe('companion grow', () => {
  it('proposes memories with evidence, applies approved proposals, and undoes them', async () => {
    const { facts, grow } = await usage(
      proposal('add', 'Grace is her flatmate.'),
      proposal('correct', 'Lives with Grace.', { target: 'k1' }),
      proposal('add', 'Never mind.'),
    );
    const shown = [
      '1. add “Grace is her flatmate.”',
      '   because She said so.',
      '     user: Grace moved in with me.',
      '2. correct “Lives alone.” to “Lives with Grace.”',
      '   because She said so.',
      '     user: Grace moved in with me.',
      '3. add “Never mind.”',
      '   because She said so.',
      '     user: Grace moved in with me.',
    ].join('\n');
    expect([await grow(), await grow('show')]).toEqual([shown, shown]);
    expect(await facts()).toEqual(['Lives alone.']);
    expect(await grow('apply', '1,2')).toBe('Applied: 2.');
    expect((await facts()).toSorted()).toEqual(['Grace is her flatmate.', 'Lives with Grace.']);
    expect(await grow('show')).toMatch(/^1\. add “Never mind\.”/);
    expect(await grow('undo')).toBe('Undone: 2.');
    expect(await facts()).toEqual(['Lives alone.']);
    expect(await grow('undo')).toBe('There is nothing to undo.');
  });

  it('rejects unknown numbers and words, and changes nothing', async () => {
    const { facts, grow } = await usage(proposal('add', 'Grace is her flatmate.'));
    await grow();
    for (const argv of [['apply'], ['apply', '2'], ['apply', 'x'], ['apply', '0'], ['destroy']])
      await expect(grow(...argv)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await facts()).toEqual(['Lives alone.']);
  });

  it('deletes proposals and records whose source was forgotten', async () => {
    const { folder, grow, growth, memory } = await usage(
      proposal('add', 'Grace is her flatmate.'),
      proposal('add', 'Likes company.'),
    );
    await grow();
    await grow('apply', '1');
    expect(await growth.canUndo('ann')).toBe(true);
    await memory.deleteUserMemory(ann);
    expect(await grow('show')).toBe('There is nothing to propose.');
    expect(await growth.canUndo('ann')).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not apply a proposal whose target has changed', async () => {
    const { facts, grow, memory } = await usage(proposal('correct', 'Lives with Grace.', { target: 'k1' }));
    await grow();
    await memory.updateMemory({ ...ann, id: 'alone', change: { content: { parts: [{ text: 'Lives on a boat.' }] } } });
    expect(await grow('apply', 'all')).toBe('Applied: 0.\nNot applied: its target has changed.');
    expect(await facts()).toEqual(['Lives on a boat.']);
  });

  it('rejects without a language model', async () => {
    const p = await usage();
    const options = { appName: 'companion', ...p, llm: undefined as Llm | undefined };
    const { facts: _, grow: __, growth: ___, ...rest } = options;
    await expect(new Growth(rest).propose('ann')).rejects.toThrow('Proposals need a language model');
  });

  it('stores proposals per user, and reports an invalid file', async () => {
    const { folder, grow, growth } = await usage(proposal('add', 'Grace is her flatmate.'));
    await grow();
    expect(await growth.list('bob')).toEqual([]);
    expect(readFileSync(join(folder, 'ann.json'), 'utf8')).toContain('Grace is her flatmate.');
    writeFileSync(join(folder, 'ann.json'), '{"proposals":');
    await expect(growth.list('ann')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(growth.list('../ann')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    growth.deleteUser('ann');
    expect(readdirSync(folder)).toEqual([]);
  });
});
