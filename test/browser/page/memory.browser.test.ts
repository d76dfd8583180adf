import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

const user = { appName: 'hotel', userId: 'user' };

describeInBrowser('the memory of the page', (browser) => {
  it('finds, adds, corrects and deletes entries', async () => {
    const hotel = await startHotelServer();
    const { memory } = hotel.client;
    const note = (text: string) => ({ kind: 'note' as const, content: { role: 'user' as const, parts: [{ text }] } });
    await memory.add({ ...user, memories: [note('Likes a high floor.'), note('Is allergic to feathers.')] });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel?tab=memory`);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const texts = async () => (await inspector.locator('.memory-text').allTextContents()).sort();
    // Unsaved text is kept.
    const visitAnotherTab = async (): Promise<void> => {
      await page.getByRole('tab', { name: 'Event' }).click();
      await inspector.locator('.edit-form').waitFor({ state: 'detached' });
      await page.getByRole('tab', { name: 'Memory' }).click();
    };
    await inspector.getByText('Is allergic to feathers.').waitFor();
    expect(await texts()).toEqual(['Is allergic to feathers.', 'Likes a high floor.']);

    await inspector.getByRole('searchbox', { name: 'Search memory' }).fill('floor');
    await inspector.getByRole('button', { name: 'Search', exact: true }).click();
    await inspector.getByText('Is allergic to feathers.').waitFor({ state: 'detached' });
    expect(await texts()).toEqual(['Likes a high floor.']);

    await inspector.getByRole('button', { name: 'Forget', exact: true }).click();
    await inspector.getByText('Likes a high floor.').waitFor({ state: 'detached' });
    await inspector.getByRole('searchbox', { name: 'Search memory' }).fill('');
    await inspector.getByText('Is allergic to feathers.').waitFor();

    await inspector.getByRole('button', { name: 'Add memory' }).click();
    await inspector.getByRole('textbox', { name: 'New memory' }).fill('Comes each May.');
    await visitAnotherTab();
    await inspector.getByRole('button', { name: 'Remember' }).click();
    await inspector.getByRole('button', { name: 'Add memory' }).and(page.locator(':focus')).waitFor();
    const added = inspector.locator('li.memory', { hasText: 'Comes each May.' });
    await added.getByRole('button', { name: 'Correct' }).click();
    await inspector.getByRole('textbox', { name: 'Correct this memory' }).fill('Comes each June.');
    await visitAnotherTab();
    await inspector.locator('.edit-form').getByRole('button', { name: 'Correct' }).click();
    await inspector.getByText('Comes each June.').waitFor();
    const kept = (await memory.list(user)).memories.map(({ content }) => content.parts?.[0]?.text);
    expect(new Set(kept)).toEqual(new Set(['Comes each June.', 'Is allergic to feathers.']));
  });

  it('lists turns page by page, and notes in groups of fifty', async () => {
    const hotel = await startHotelServer();
    const many = (kind: 'turn' | 'note') =>
      Array.from({ length: 60 }, (_, i) => ({ kind, content: { parts: [{ text: `${kind} ${i}` }] } }));
    await hotel.client.memory.add({ ...user, memories: [...many('note'), ...many('turn')] });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel?tab=memory`);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const items = (name: string) => inspector.getByRole('list', { name }).getByRole('listitem');
    await items('Turns 50+').first().waitFor();
    expect([await items('Notes 60').count(), await items('Turns 50+').count()]).toEqual([50, 50]);
    await inspector.getByRole('button', { name: 'Show 10 more' }).click();
    await inspector.getByRole('button', { name: 'Show more' }).click();
    await items('Turns 60').first().waitFor();
    expect([await items('Notes 60').count(), await items('Turns 60').count()]).toEqual([60, 60]);
    await inspector.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  });

  it('shows that there are more entries than it lists, and finds them by a search', async () => {
    const hotel = await startHotelServer();
    const notes = Array.from({ length: 2_001 }, (_, i) => ({
      kind: 'note' as const,
      content: { parts: [{ text: i === 2_000 ? 'Collects lighthouses.' : `Note ${i}.` }] },
    }));
    await hotel.client.memory.add({ ...user, memories: notes });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel?tab=memory`);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText('There are more facts. Use the search to find them.').waitFor();
    await inspector.getByRole('heading', { name: 'Notes 2,000' }).waitFor();
    await inspector.getByRole('searchbox', { name: 'Search memory' }).fill('lighthouses');
    await inspector.getByRole('button', { name: 'Search', exact: true }).click();
    await inspector.getByText('Collects lighthouses.').waitFor();
  });
});
