import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, read, root } from '../architecture/workspace.ts';

const documents = filesBelow('').filter((file) => file.endsWith('.md') && !file.startsWith('.changeset/'));

describe('Links of Markdown pages', () => {
  it('lead to an existing heading if they have an anchor', () => {
    const broken = documents.flatMap((file) =>
      [...withoutCode(read(file)).matchAll(/\]\(([^)\s#]*)#([^)\s]+)\)/g)]
        .filter(([, target]) => !/^[a-z]+:/.test(target!))
        .filter(([, target, anchor]) => !anchorsOf(target === '' ? file : join(file, '..', target!)).includes(anchor!))
        .map(([link]) => `${file} → ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

/** Returns the anchors that GitHub and VitePress give to the headings of a page. */
function anchorsOf(file: string): string[] {
  if (!existsSync(join(root, file)) || !file.endsWith('.md')) return [];
  return [...withoutCode(read(file)).matchAll(/^#{1,6} (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}
