import { textOf } from '@thole/core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriousIn, seriousInBothThemes } from '../axe.ts';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import type { HotelServer } from '../hotel-server.ts';
import { keepScreenshot } from '../keep-screenshot.ts';
import { visit } from '../visit.ts';
import { startHotelWithFacts, guest } from './hotel-with-facts.ts';

const address = (hotel: HotelServer): string => `${hotel.url}/dev-ui/#/hotel?tab=memory`;

/** Opens the page on the memory of the guest. Returns it with functions that find its elements. */
async function open(browser: Browser, hotel: HotelServer, options?: BrowserContextOptions) {
  const page = await visit(browser, address(hotel), options);
  const inspector = page.locator('.inspector');
  const list = (name: string | RegExp): Locator => inspector.getByRole('list', { name });
  const item = (text: string): Locator => inspector.locator('li.memory', { hasText: text });
  const button = (within: Locator, name: string | RegExp): Locator => within.getByRole('button', { name, exact: true });
  const texts = (within: Locator): Promise<string[]> => within.locator('.memory-text').allTextContents();
  return { page, inspector, list, item, button, texts };
}

async function find(page: Page, query: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search memory' }).fill(query);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
}

const storedFacts = async ({ client }: HotelServer) => {
  const { memories } = await client.memory.list({ ...guest, filter: { kinds: ['fact'] } });
  return memories;
};

describeInBrowser('the page, on facts', (browser) => {
  it('shows facts with their start, their evidence with links, and their history', async () => {
    const hotel = await startHotelWithFacts();
    const { page, inspector, list, item, button, texts } = await open(browser(), hotel);
    await item('Lives in Lisbon.').waitFor();
    expect(await texts(list(/^Facts/))).toEqual(['Lives in Lisbon.', 'Is allergic to feathers.']);
    expect(await texts(list(/^Turns/))).toContain('We moved to Lisbon last week.');
    await expect.poll(() => inspector.getByText('Lives in Porto.').count()).toBe(0);

    const lisbon = item('Lives in Lisbon.');
    expect(await lisbon.textContent()).toMatch(/since /);
    await button(lisbon, 'History (1)').click();
    const past = lisbon.getByRole('list', { name: 'Earlier versions, newest first' });
    expect(await texts(past)).toEqual(['Lives in Porto.']);
    await button(lisbon, 'Evidence (1)').click();
    const behind = lisbon.getByRole('list', { name: 'Evidence' });
    await behind.getByText('We moved to Lisbon last week.').waitFor();
    await button(behind, 'from another session').click();
    const said = page.getByRole('main').locator('article[aria-current]');
    await said.getByText('We moved to Lisbon last week.').waitFor();
    expect(page.url()).toMatch(/\/june\/.+tab=memory/);

    const feathers = item('Is allergic to feathers.');
    await button(feathers, 'Evidence (1)').click();
    await feathers.getByText('I am allergic to feathers.').waitFor();
    await feathers.getByText('from a deleted session').waitFor();
  });

  it('corrects a fact by a new one, which search finds and which keeps the evidence', async () => {
    const hotel = await startHotelWithFacts();
    const before = await storedFacts(hotel);
    const { page, list, item, button, texts } = await open(browser(), hotel);
    await button(item('Is allergic to feathers.'), 'Correct').click();
    const field = page.getByRole('textbox', { name: 'Correct this memory' });
    expect(await field.inputValue()).toBe('Is allergic to feathers.');
    await field.fill('Is allergic to wool.');
    await button(page.locator('.edit-form'), 'Correct').click();
    const wool = item('Is allergic to wool.');
    await wool.waitFor();
    expect(await texts(list(/^Facts/))).toEqual(['Is allergic to wool.', 'Lives in Lisbon.']);
    await expect.poll(() => wool.locator(':focus').count()).toBe(1);
    await button(wool, 'History (1)').click();
    await wool.getByText('Is allergic to feathers.').waitFor();

    await find(page, 'wool allergic');
    const found = list('Search results, best first');
    await expect.poll(async () => (await texts(found))[0]).toBe('Is allergic to wool.');
    const first = found.locator('li.memory').first();
    await button(first, 'Why this was found').click();
    await first.getByText('It has words of the query').waitFor();
    const old = found.locator('li.memory', { hasText: 'no longer true' });
    expect(await old.first().textContent()).toContain('Now: Is allergic to wool.');
    await expect.poll(() => button(old.first(), 'Correct').count()).toBe(0);

    const facts = await storedFacts(hotel);
    const of = (text: string) => facts.find(({ content }) => textOf(content) === text)!;
    expect(of('Is allergic to feathers.').supersededBy).toBe(of('Is allergic to wool.').id);
    expect(of('Is allergic to wool.').evidence).toEqual(
      before.find(({ content }) => textOf(content) === 'Is allergic to feathers.')!.evidence,
    );
  });

  it('forgets a single version, a single fact, and a fact with its evidence', async () => {
    const hotel = await startHotelWithFacts();
    const { page, item, button } = await open(browser(), hotel);
    const kept = async (): Promise<string[]> =>
      (await hotel.client.memory.list({ ...guest, filter: { kinds: ['turn', 'fact'] } })).memories.map(({ content }) =>
        textOf(content),
      );
    const lisbon = item('Lives in Lisbon.');
    await button(lisbon, 'History (1)').click();
    await button(lisbon, 'Forget this version').click();
    await button(lisbon, 'History (1)').waitFor({ state: 'detached' });
    expect(await kept()).toContain('I live in Porto.');
    expect(await kept()).not.toContain('Lives in Porto.');

    await button(lisbon, 'Forget').click();
    const dialog = page.getByRole('dialog', { name: 'Forget this fact?' });
    await button(dialog, 'Cancel').click();
    await dialog.waitFor({ state: 'hidden' });
    await button(lisbon, 'Forget').click();
    await button(dialog, 'Only the fact').click();
    await lisbon.waitFor({ state: 'detached' });
    expect(await kept()).toContain('We moved to Lisbon last week.');

    await button(item('Is allergic to feathers.'), 'Forget').click();
    await button(dialog, 'Forget with evidence').click();
    await page.getByText('Forgotten, with its evidence.').waitFor();
    const left = await kept();
    expect(left).not.toContain('I am allergic to feathers.');
    expect(left).not.toContain('Is allergic to feathers.');
    expect(left).toContain('I live in Porto.');
  });

  it('offers to forget memories with the same content as a forgotten one', async () => {
    const hotel = await startHotelServer();
    const texts = ['Likes fresh figs.', 'Likes fresh figs very much.', 'Fresh figs, likes them.', 'Has a dog.'];
    await hotel.client.memory.add({ ...guest, memories: texts });
    const { page, item, button } = await open(browser(), hotel);
    await button(item('Likes fresh figs.'), 'Forget').click();
    const dialog = page.getByRole('dialog', { name: 'Forget these too?' });
    const same = dialog.getByRole('list', { name: 'Memories with the same content' });
    await expect
      .poll(async () => (await same.locator('.memory-text').allTextContents()).toSorted())
      .toEqual(['Fresh figs, likes them.', 'Likes fresh figs very much.']);
    await keepScreenshot(page, 'forget-same');
    expect(await seriousIn(page)).toEqual([]);
    await dialog.getByRole('checkbox', { name: 'Likes fresh figs very much.' }).uncheck();
    await button(dialog, 'Forget 1').click();
    await item('Fresh figs, likes them.').waitFor({ state: 'detached' });
    const { memories } = await hotel.client.memory.list(guest);
    expect(memories.map(({ content }) => textOf(content))).toEqual(['Likes fresh figs very much.', 'Has a dog.']);
  });

  it('lists ended facts in a separate, closed section', async () => {
    const hotel = await startHotelServer();
    const content = { role: 'user' as const, parts: [{ text: 'Has a dog.' }] };
    await hotel.client.memory.add({ ...guest, memories: [{ kind: 'fact', content, validFrom: 1, validTo: 1_000 }] });
    const { inspector, item, button } = await open(browser(), hotel);
    const ended = button(inspector, /^No longer true/);
    await ended.waitFor();
    expect(await ended.getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => item('Has a dog.').count()).toBe(0);
    await ended.click();
    await item('Has a dog.').getByText('no longer true').waitFor();
    await expect.poll(() => button(item('Has a dog.'), 'Correct').count()).toBe(0);
  });

  it('shows that memory can only be searched if the service cannot list entries', async () => {
    const memoryService = { addSessionToMemory: async () => {}, searchMemory: async () => ({ memories: [] }) };
    const hotel = await startHotelServer([], { memoryService });
    const page = await visit(browser(), address(hotel), { expected: /400/ });
    await page.getByText('This memory can be searched but not listed').waitFor();
    await find(page, 'figs');
    await page.getByText('There are no memories of “figs”').waitFor();
  });

  it('can be used with the keyboard only, from the list to the correction and back', async () => {
    const hotel = await startHotelWithFacts();
    const { page, item, button } = await open(browser(), hotel);
    const { keyboard } = page;
    await item('Is allergic to feathers.').waitFor();
    await page.getByRole('searchbox', { name: 'Search memory' }).focus();
    const focused = async (): Promise<string> =>
      page.evaluate(
        `document.activeElement.closest('li.memory')?.querySelector('.memory-text')?.textContent + ' ' + (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)`,
      );
    const tabTo = async (wanted: string): Promise<void> => {
      for (let i = 0; i < 30 && (await focused()) !== wanted; i++) await keyboard.press('Tab');
      expect(await focused()).toBe(wanted);
    };
    await tabTo('Lives in Lisbon. History (1)');
    await keyboard.press('Enter');
    await tabTo('Lives in Lisbon. Forget this version');
    await tabTo('Is allergic to feathers. Correct');
    await keyboard.press('Enter');
    await keyboard.press('ControlOrMeta+A');
    await keyboard.type('Is allergic to wool.');
    await keyboard.press('Escape');
    await expect.poll(focused).toBe('Is allergic to feathers. Correct');
    await keyboard.press('Enter');
    await keyboard.press('ControlOrMeta+A');
    await keyboard.type('Is allergic to wool.');
    await keyboard.press('ControlOrMeta+Enter');
    await expect.poll(focused).toBe('Is allergic to wool. Correct');
    await tabTo('Is allergic to wool. Forget');
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Forget this fact?' }).waitFor();
    await keyboard.press('Escape');
    await expect.poll(focused).toBe('Is allergic to wool. Forget');
    expect(await button(item('Is allergic to wool.'), 'History (1)').count()).toBe(1);
  });

  const wide = { viewport: { width: 1440, height: 900 } };
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  for (const [name, options] of Object.entries({ wide, phone }))
    it(`passes axe in both themes: ${name}`, async () => {
      const hotel = await startHotelWithFacts();
      const { page, inspector, item, button } = await open(browser(), hotel, options);
      const check = async (part: string | undefined, view?: string): Promise<void> => {
        const keep = async (theme: string): Promise<void> => {
          if (view !== undefined) await keepScreenshot(page, `${name}-${theme}-${view}`);
        };
        expect(await seriousInBothThemes(page, part, keep), view).toEqual([]);
      };
      if (name === 'phone') await page.getByRole('button', { name: 'Show the inspector' }).click();
      const lisbon = item('Lives in Lisbon.');
      await button(lisbon, 'Evidence (1)').click();
      await lisbon.getByText('We moved to Lisbon last week.').waitFor();
      await check('.inspector', 'facts');
      await button(lisbon, 'History (1)').click();
      await lisbon.getByText('Lives in Porto.').waitFor();
      await check('.inspector');
      await button(item('Is allergic to feathers.'), 'Correct').click();
      await check('.inspector', 'correct-fact');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await button(lisbon, 'Forget').click();
      const dialog = page.getByRole('dialog', { name: 'Forget this fact?' });
      await dialog.waitFor();
      await check(undefined, 'forget-fact');
      await button(dialog, 'Cancel').click();
      await find(page, 'where does the guest live');
      await inspector.getByRole('list', { name: 'Search results, best first' }).waitFor();
      await button(inspector, 'Why this was found').first().click();
      await check('.inspector', 'found-facts');
      const width: number = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(options.viewport.width);
    });
});
