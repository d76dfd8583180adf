import { describe, expect, it } from 'vitest';
import { toTelegramPieces, toWhatsAppPieces } from '../../src/messenger/format-markdown.ts';

const LIMIT = 4_096;
const html = (text: string): string | undefined => toTelegramPieces(text, LIMIT)[0]!.formatted;
const whatsApp = (text: string): string | undefined => toWhatsAppPieces(text, LIMIT)[0]!.formatted;

describe('toTelegramPieces and toWhatsAppPieces', () => {
  it.each([
    ['**bold** text', '<b>bold</b> text', '*bold* text'],
    ['**bold ~~old~~ `x`**', '<b>bold <s>old</s> <code>x</code></b>', '*bold ~old~ `x`*'],
    ['~~old~~ new', '<s>old</s> new', '~old~ new'],
    ['run `a < b` now', 'run <code>a &lt; b</code> now', 'run `a < b` now'],
    ['# Title **x**\ntext', '<b>Title x</b>\ntext', '*Title x*\ntext'],
    ['* one\n* **two**', '- one\n- <b>two</b>', '- one\n- *two*'],
    ['```ts\na **b** <c>\n```', '<pre><code class="language-ts">a **b** &lt;c&gt;</code></pre>', '```a **b** <c>```'],
    ['```\n```', '<pre></pre>', '``````'],
    [
      '[docs](https://a.example/?q="1"&r=2)',
      '<a href="https://a.example/?q=&quot;1&quot;&amp;r=2">docs</a>',
      'docs (https://a.example/?q="1"&r=2)',
    ],
    [
      '> quote **x**\n\n- a\n  * b ~~c~~',
      '&gt; quote <b>x</b>\n\n- a\n  - b <s>c</s>',
      '> quote *x*\n\n- a\n  - b ~c~',
    ],
    [
      '* Do:\n\n  ```sh\n  rm *.log\n\n    # in\n  ```\n* Then **b**',
      '- Do:\n\n  <pre><code class="language-sh">rm *.log\n\n  # in</code></pre>\n- Then <b>b</b>',
      '- Do:\n\n  ```rm *.log\n\n  # in```\n- Then *b*',
    ],
    ['1. ```\n   x\n   ```\n2. **b**', '1. <pre>x</pre>\n2. <b>b</b>', '1. ```x```\n2. *b*'],
    ['> ```\n> x\n> ```\n> y', '&gt; <pre>x</pre>\n&gt; y', '> ```x```\n> y'],
    ['# A\r\n\r\n```\r\nx\r\n```', '<b>A</b>\r\n\r\n<pre>x</pre>', '*A*\r\n\r\n```x```'],
    ['* a `x\n  *y`\n* b', '- a `x\n  *y`\n- b', '- a `x\n  *y`\n- b'],
    ['## `f(**a)` and 2**3', '<b><code>f(**a)</code> and 2**3</b>', '*`f(**a)` and 2**3*'],
    [
      '![](https://a.example/b.png) [**c**](https://d.example)',
      '![](https://a.example/b.png) <a href="https://d.example"><b>c</b></a>',
      '![](https://a.example/b.png) *c* (https://d.example)',
    ],
    ['**a** & <b>', '<b>a</b> &amp; &lt;b&gt;', '*a* & <b>'],
    ['Grüße, **Zoë 🙂**!', 'Grüße, <b>Zoë 🙂</b>!', 'Grüße, *Zoë 🙂*!'],
  ])('convert %j', (text, telegram, other) => {
    expect(html(text)).toBe(telegram);
    // Undefined if the text stays the same.
    expect(whatsApp(text) ?? text).toBe(other);
  });

  it.each([
    'plain text, 2 * 3 * 4 = 24 and 2*3*4',
    'snake_case_name and __init__.py',
    'single *stars* and _lines_',
    '***both***',
    'f(*args, **kwargs)',
    'a ** b ** c',
    'https://a.example/_x_?y=*z*&client_id=a_b',
    '**open',
    '[label](javascript:alert)',
    '\\*not italic\\*',
    '```\nnot closed **x**',
    '- ```\n  not closed **x**',
    '#',
    '1. one\n2. two',
    '<b>&amp;</b>',
    '| a | **b** |\n| --- | --- |\n| c | d |',
    'text\n\n    indented **x**',
    '[label]\n\n[label]: https://a.example/',
    '<https://a.example/>',
  ])('leave %j unchanged', (text) => {
    expect([html(text), whatsApp(text)]).toEqual([undefined, undefined]);
  });

  it('leave all pieces of a text unchanged if a block of code is split', () => {
    const text = `**bold**\n\n\`\`\`\n${'x = **y** * 2\n'.repeat(30)}\`\`\`\n\n**more**`;
    const pieces = toTelegramPieces(text, 100);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.every(({ formatted }) => formatted === undefined)).toBe(true);
  });

  it('leave a text unchanged that is nested too deeply for the parser', () => {
    const plain = '> '.repeat(2_040) + 'x';
    expect(toTelegramPieces(plain, 4_096)).toEqual([{ plain, formatted: undefined }]);
    expect(toWhatsAppPieces(plain, 4_096)).toEqual([{ plain, formatted: undefined }]);
  });

  it('never make a text for WhatsApp longer', () => {
    for (const text of ['# a', '[a](https://b.c)', '```\n\n```', '* a', '`` a ``', '~~a~~'])
      expect((whatsApp(text) ?? text).length).toBeLessThanOrEqual(text.length);
  });
});
