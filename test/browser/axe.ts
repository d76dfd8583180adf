import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

// The axe source of @axe-core/playwright. That package injects the source again for each view and opens a page to
// join results of frames. Without frames, a tenth of the time is enough.
const axePlaywright = createRequire(import.meta.url).resolve('@axe-core/playwright');
const { source } = createRequire(axePlaywright)('axe-core') as { source: string };

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string }[];
}

/** Returns the serious and critical findings of axe in a page or a part of it: rule and elements. */
export async function seriousIn(page: Page, part?: string): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(source);
  const context = part === undefined ? 'document' : JSON.stringify(part);
  const violations: Violation[] = await page.evaluate(
    `axe.run(${context}, { resultTypes: ['violations'], iframes: false }).then((results) => results.violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}
