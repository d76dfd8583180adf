import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '@thole/core';
import { diffRequests } from '../../page/inspector/request/diff-requests.ts';
import { requestParts } from '../../page/inspector/request/request-parts.ts';

const content = (role: 'user' | 'model', text: string): LlmRequest['contents'][number] => ({ role, parts: [{ text }] });

function diff(before: LlmRequest, after: LlmRequest): string[] {
  return diffRequests(requestParts(before), requestParts(after)).map(({ kind, part }) => `${kind} ${part.text}`);
}

describe('diffRequests', () => {
  it('shows new contents of a continued history as added', () => {
    const before = [content('user', 'a'), content('model', 'b')];
    expect(diff({ config: {}, contents: before }, { config: {}, contents: [...before, content('user', 'c')] })).toEqual(
      ['same a', 'same b', 'added c'],
    );
  });

  it('shows removed contents at their earlier place', () => {
    const contents = [content('user', 'a'), content('model', 'b'), content('user', 'c')];
    expect(diff({ config: {}, contents }, { config: {}, contents: [contents[0]!, contents[2]!] })).toEqual([
      'same a',
      'removed b',
      'same c',
    ]);
  });

  it('marks a different instruction as changed, with its earlier text', () => {
    const [change] = diffRequests(
      requestParts({ config: { systemInstruction: 'Old.' }, contents: [] }),
      requestParts({ config: { systemInstruction: 'New.' }, contents: [] }),
    );
    expect(change).toMatchObject({ kind: 'changed', part: { text: 'New.' }, before: { text: 'Old.' } });
  });

  it('compares tools by name, and marks removed tools', () => {
    const tools = (...names: string[]): LlmRequest => ({
      config: { tools: [{ functionDeclarations: names.map((name) => ({ name, description: name })) }] },
      contents: [],
    });
    expect(diff(tools('a', 'b'), tools('b', 'c'))).toEqual(['same b', 'added c', 'removed a']);
  });

  it('marks a content as changed only if it has the same author', () => {
    const before = { config: {}, contents: [content('user', 'a'), content('model', 'b'), content('user', 'z')] };
    const after = { config: {}, contents: [content('model', 'c'), content('user', 'z')] };
    expect(diff(before, after)).toEqual(['removed a', 'changed c', 'same z']);
  });

  it('compares long histories without comparing all pairs', () => {
    const contents = Array.from({ length: 10_000 }, (_, i) => content('user', i % 2 === 0 ? 'again' : `n ${i}`));
    const changes = diffRequests(
      requestParts({ config: {}, contents: contents.slice(1) }),
      requestParts({ config: {}, contents }),
    );
    expect(changes.filter(({ kind }) => kind !== 'same').length).toBeLessThan(5);
  });
});
