import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

// Uses the source of axe directly: @axe-core/playwright injects it for each view and opens a page to join results of frames.
// Without frames, this takes a tenth of the time.
const axePlaywright = createRequire(import.meta.url).resolve('@axe-core/playwright');
const { source } = createRequire(axePlaywright)('axe-core') as { source: string };

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string }[];
}

/** Rules whose result depends on the theme. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * Returns the serious and critical findings of axe in a page or a part of it, in the light and in the dark theme. Both themes
 * show the same document, so only the rules about colours are applied twice. `look` is called in each theme.
 */
export async function seriousInBothThemes(
  page: Page,
  part?: string,
  look?: (theme: 'light' | 'dark') => Promise<void>,
): Promise<string[]> {
  const found: string[] = [];
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await look?.(theme);
    const findings = await seriousIn(page, part, theme === 'dark' ? colourRules : undefined);
    found.push(...findings.map((each) => `${theme}: ${each}`));
  }
  return found;
}

/**
 * Returns the serious and critical findings of axe in a page or a part of it: rule and elements. Applies these rules. Default:
 * all rules, except one that takes a fifth of the time and whose findings are always moderate.
 */
export async function seriousIn(page: Page, part?: string, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(source);
  const context = part === undefined ? 'document' : JSON.stringify(part);
  const options = {
    resultTypes: ['violations'],
    iframes: false,
    ...(rules ? { runOnly: { type: 'rule', values: rules } } : { rules: { region: { enabled: false } } }),
  };
  const violations: Violation[] = await page.evaluate(
    `axe.run(${context}, ${JSON.stringify(options)}).then((results) => results.violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}
