import type { Page } from 'playwright-core';

/** Counts of the work of a page since it was opened. */
export interface Work {
  /** Pieces of answers that it has received. */
  pieces: number;
  /** Updates of the answer that is being written. */
  drawings: number;
  /** Blocks of that answer that were changed although they were neither new nor one of its last two blocks. */
  late: number;
  /** Blocks of that answer that were removed. */
  removed: number;
  /** Length of the longest Markdown that a regular expression was applied to. */
  longestRead: number;
  /** Characters of HTML that were sanitized. */
  sanitized: number;
}

/** Counts the work of a page that will be opened. */
export async function countWork(page: Page): Promise<void> {
  await page.addInitScript(`(() => {
    const work = { pieces: 0, drawings: 0, late: 0, removed: 0, longestRead: 0, sanitized: 0 };
    let stream = '';
    globalThis.work = () => ({ ...work, pieces: stream.split('"partial":true').length - 1 });

    const { decode } = TextDecoder.prototype;
    TextDecoder.prototype.decode = function (...args) {
      const text = decode.apply(this, args);
      stream += text;
      return text;
    };
    const { exec } = RegExp.prototype;
    RegExp.prototype.exec = function (text) {
      if (text.length > work.longestRead && !text.includes('"partial"')) work.longestRead = text.length;
      return exec.call(this, text);
    };
    const { parseFromString } = DOMParser.prototype;
    DOMParser.prototype.parseFromString = function (html, type) {
      work.sanitized += String(html).length;
      return parseFromString.call(this, html, type);
    };

    let count = 0;
    new MutationObserver((records) => {
      const answer = document.querySelector('.markdown[data-streaming]');
      if (!answer) return;
      const blocks = [...answer.children];
      // Code gets its colours later.
      const changed = records.filter(({ target }) => target === answer || (target.parentNode === answer && target.localName === 'div'));
      if (changed.length === 0) return;
      work.drawings++;
      for (const { target, removedNodes } of changed) {
        if (target === answer) work.removed += removedNodes.length;
        else if (blocks.indexOf(target) < count - 2) work.late++;
      }
      count = blocks.length;
    }).observe(document, { subtree: true, childList: true, characterData: true });
  })()`);
}
