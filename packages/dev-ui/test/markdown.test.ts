import { describe, expect, it } from 'vitest';
import { createBlockReader, safeHref, toBlocks } from '../page/markdown/to-blocks.ts';

const htmlOf = (text: string): string =>
  toBlocks(text)
    .map((block) => (block.kind === 'html' ? block.html : ''))
    .join('');

const growing = `# Rooms

There are **two** of them:
on the ground floor and above.

- one

- two
  1. with a view
  2. quiet

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

> Said by a guest

| night | price |
| --- | --- |
| Friday | 120 |

    indented

    code

***

Setext
---

1. first

2. second
The end.`;

describe('toBlocks', () => {
  it('shows HTML in an answer as text', () => {
    const hostile = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      'a <svg/onload=alert(1)> b',
      '<a href="javascript:alert(1)">x</a>',
      '<iframe src="https://example.com"></iframe>',
      '- item <style>*{display:none}</style>',
      '> <form action="/x"><input></form>',
    ];
    for (const text of hostile)
      expect(htmlOf(text), text).not.toMatch(/<(script|img|svg|iframe|style|form|input|a)\b/i);
    expect(htmlOf('<b>bold</b>')).toContain('&#60;b&#62;bold&#60;/b&#62;');
  });

  it('keeps only links to web and mail addresses', () => {
    const bad = [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc',
    ];
    for (const href of bad) {
      expect(safeHref(href), href).toBeUndefined();
      expect(htmlOf(`[x](<${href}>)`), href).not.toContain('href');
    }
    expect(safeHref('https://example.com/a?b')).toBe('https://example.com/a?b');
    expect(safeHref('mailto:ann@example.com')).toBe('mailto:ann@example.com');
  });

  it('opens links in a new tab, without a referrer', () => {
    expect(htmlOf('[a](https://example.com)')).toContain('target="_blank" rel="noopener noreferrer"');
  });

  it('shows an image as a link, unless the text contains its bytes', () => {
    expect(htmlOf('![a cat](https://example.com/cat.png?leak=1)')).toBe(
      '<p><a href="https://example.com/cat.png?leak=1" target="_blank" rel="noopener noreferrer">a cat</a></p>\n',
    );
    expect(htmlOf('![a dot](data:image/png;base64,AAAA)')).toContain(
      '<img src="data:image/png;base64,AAAA" alt="a dot">',
    );
    expect(htmlOf('![a](data:image/svg+xml;base64,AAAA)')).not.toContain('<img');
  });

  it('escapes quotes in a title and an alternative text', () => {
    expect(htmlOf('[a](https://example.com "x\\" onclick=\\"y")')).not.toMatch(/ onclick="/);
    expect(htmlOf('![x" onerror="y](data:image/png;base64,AAAA)')).not.toMatch(/ onerror="/);
  });

  it('returns code as separate blocks with their language, also an unclosed last one', () => {
    expect(toBlocks('Look:\n\n```ts twoslash\nconst a = 1;\n```\n\nSo.')).toMatchObject([
      { kind: 'html' },
      { kind: 'code', code: 'const a = 1;', language: 'ts' },
      { kind: 'html' },
    ]);
    expect(toBlocks('```json\n{"a":')).toEqual([{ kind: 'code', key: '0:code', code: '{"a":', language: 'json' }]);
  });

  it('changes only the last block while a text grows', () => {
    const whole = 'One.\n\n- two\n- three\n\n```ts\nfour();\n```\n\nFive **six**.';
    for (let length = 1; length <= whole.length; length++) {
      const before = toBlocks(whole.slice(0, length - 1)).slice(0, -1);
      expect(toBlocks(whole.slice(0, length)).slice(0, before.length)).toEqual(before);
    }
  });

  it('shows a text that is nested too deeply for the parser unchanged', () => {
    const text = `${'> '.repeat(10_000)}<b>`;
    expect(htmlOf(text)).toBe(`<p>${'&#62; '.repeat(10_000)}&#60;b&#62;</p>`);
    expect(createBlockReader()(text)).toEqual(toBlocks(text));
  });

  it('resolves links that are defined elsewhere in the text', () => {
    expect(htmlOf('See [the rules][1].\n\n[1]: https://example.com/rules')).toContain(
      'href="https://example.com/rules"',
    );
  });
});

describe('createBlockReader', () => {
  it('returns the same blocks for a growing text as for the complete one', () => {
    const readBlocks = createBlockReader();
    for (let length = 1; length <= growing.length; length++) {
      const text = growing.slice(0, length);
      expect(readBlocks(text), JSON.stringify(text.slice(-30))).toEqual(toBlocks(text));
    }
  });

  it('parses each finished block once', () => {
    const readBlocks = createBlockReader();
    const seen = new Set<unknown>();
    let text = '';
    for (let i = 0; i < 1_000; i++) {
      text += i % 10 === 9 ? `word.\n\n` : `word **${i}** `;
      for (const block of readBlocks(text)) seen.add(block);
    }
    // Each step creates at most three blocks. Without reuse, 1,000 steps would create 50,000.
    expect(seen.size).toBeLessThanOrEqual(3_000);
  });

  it('starts from the beginning for another text', () => {
    const readBlocks = createBlockReader();
    readBlocks('One.\n\nTwo.\n\nThree.');
    expect(readBlocks('Four.\n\nFive.')).toEqual(toBlocks('Four.\n\nFive.'));
  });
});
