import { describe, expect, it } from 'vitest';
import { bytesOf, previewOf } from '../../page/inspector/artifacts/preview-of.ts';
import { savedVersions } from '../../page/inspector/artifacts/saved-versions.ts';
import { sortArtifacts } from '../../page/inspector/artifacts/sort-artifacts.ts';
import { event } from './events.ts';

const part = (mimeType: string, text: string) => ({
  inlineData: { mimeType, data: Buffer.from(text).toString('base64') },
});

describe('previewOf', () => {
  it('shows an image by its address, and text as text', () => {
    expect(previewOf(part('image/png', 'x'))).toMatchObject({
      kind: 'image',
      url: 'data:image/png;base64,eA==',
      bytes: 1,
    });
    expect(previewOf(part('text/csv', 'a,ü\n'))).toMatchObject({ kind: 'text', text: 'a,ü\n', bytes: 5 });
    expect(previewOf({ text: 'ü' })).toMatchObject({ kind: 'text', bytes: 2 });
  });

  it('returns no preview of a text over 1 MB, which a browser draws slowly', () => {
    const text = 'x'.repeat(1_000_001);
    expect(previewOf({ text })).toEqual({ kind: 'file', mimeType: 'text/plain', bytes: 1_000_001 });
    expect(previewOf(part('text/plain', text))).toEqual({ kind: 'file', mimeType: 'text/plain', bytes: 1_000_001 });
    expect(bytesOf({ text })).toHaveLength(1_000_001);
  });

  it('formats JSON, and returns invalid JSON unchanged', () => {
    expect(previewOf(part('application/json', '{"a":1}'))).toMatchObject({ text: '{\n  "a": 1\n}' });
    expect(previewOf(part('application/json', '{oops'))).toMatchObject({ text: '{oops' });
  });

  it('indents JSON without a change of its numbers and strings', () => {
    const json = String.raw`{"id":9007199254740993, "x":1.10,"a":"\u00fc, {\"","e":{ },"l":[],"deep":[[1,{"b":null}]]}`;
    const { text } = previewOf(part('application/json', json)) as { text: string };
    expect(text.split('\n').map((line) => line.trim())).toEqual([
      ...['{', '"id": 9007199254740993,', '"x": 1.10,', String.raw`"a": "\u00fc, {\"",`, '"e": {},', '"l": [],'],
      ...['"deep": [', '[', '1,', '{', '"b": null', '}', ']', ']', '}'],
    ]);
    const value = { a: [1, { b: [] }, [{}]], c: '"' };
    const formatted = JSON.stringify(value, undefined, 2);
    for (const given of [JSON.stringify(value), formatted, '"a: b"', ' 1 '])
      expect(previewOf(part('text/json', given))).toMatchObject({
        text: given.includes('c') ? formatted : given.trim(),
      });
  });

  it('ignores the case of types', () => {
    expect(previewOf(part('IMAGE/PNG', 'x'))).toMatchObject({ kind: 'image', mimeType: 'image/png' });
  });

  it('shows binary data and unknown types as a file', () => {
    const bytes = { inlineData: { mimeType: 'text/plain', data: Buffer.from([0xff, 0xfe, 0x00]).toString('base64') } };
    expect(previewOf(bytes)).toMatchObject({ kind: 'file', bytes: 3 });
    expect(previewOf(part('application/pdf', 'x'))).toMatchObject({ kind: 'file' });
    expect(previewOf(part('text/html', '<script>'))).toMatchObject({ kind: 'text', text: '<script>' });
  });

  it('returns the address of a file on another host', () => {
    expect(previewOf({ fileData: { fileUri: 'https://example.test/a', mimeType: 'image/png' } })).toMatchObject({
      kind: 'link',
      url: 'https://example.test/a',
    });
  });
});

describe('bytesOf', () => {
  it('returns the saved bytes', () => {
    expect([...bytesOf(part('application/x', 'aü'))]).toEqual([97, 195, 188]);
    expect([...bytesOf({ text: 'a' })]).toEqual([97]);
    expect(bytesOf({}).length).toBe(0);
  });
});

describe('sortArtifacts', () => {
  it('lists files of the session before those of the user, each name once', () => {
    expect(sortArtifacts(['user:a', 'b', 'a', 'b']).map(({ filename }) => filename)).toEqual(['a', 'b', 'user:a']);
  });
});

describe('savedVersions', () => {
  it('counts how often each file was saved', () => {
    const saveEvent = (id: string, ...names: string[]) => {
      const unchanged = event({ id });
      return {
        ...unchanged,
        actions: { ...unchanged.actions, artifactDelta: Object.fromEntries(names.map((name) => [name, 0])) },
      };
    };
    expect([...savedVersions([saveEvent('1', 'a', 'b'), saveEvent('2', 'a'), event({ id: '3' })])]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });
});
