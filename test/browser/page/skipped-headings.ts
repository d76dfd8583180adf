import type { Page } from 'playwright-core';

/** Returns the headings of a page that skip a level, such as a heading of level 3 after level 1. Ignores Markdown of agents. */
export async function skippedHeadings(page: Page): Promise<string[]> {
  const headings: { level: number; text: string }[] = await page.evaluate(
    `[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter((each) => !each.closest('.markdown'))
      .map((each) => ({ level: Number(each.tagName[1]), text: each.textContent }))`,
  );
  return headings
    .filter(({ level }, i) => level > (headings[i - 1]?.level ?? 0) + 1)
    .map(({ level, text }) => `heading of level ${level} skips a level: ${text}`);
}
