import { calls, says } from '@thole/testing';
import { expect, it, onTestFinished } from 'vitest';
import { seriousInBothThemes } from '../../../../test/browser/axe.ts';
import { describeInBrowser } from '../../../../test/browser/describe-in-browser.ts';
import { visit } from '../../../../test/browser/visit.ts';
import { servePage } from '../../src/page/serve-page.ts';
import { World } from '../support/world.ts';

const config = `
users:
  - { id: ann, name: Ann, role: admin, identities: { http: ann } }
  - { id: bob, name: Bob, identities: { http: bob } }
channels: { http: }
unknown_senders: approve
`;

/** A companion in which everything of the page is there: a stranger, a confirmation and a proposal wait. */
async function servedWorld() {
  const world = new World();
  world.configure(config);
  await world.start({
    'I am a pilot.': [says('Nice.')],
    'Plan the herb garden': [calls('add_task', { title: 'Plan the herb garden' }), says('Done.')],
    'Tell Ann hello': [calls('message_user', { recipient: 'Ann', text: 'Hello.' }), says('I have told her.')],
    Hello: [says('Hi!')],
  });
  await world.say('http', 'ann', 'I am a pilot.');
  await world.say('http', 'ann', '/remember I like tea.');
  await world.say('http', 'ann', 'Plan the herb garden');
  await world.say('http', 'bob', 'Tell Ann hello');
  await world.say('http', 'carl', 'Hello');
  await world.companion.growth.propose('ann');
  const page = await servePage(world.companion, 0);
  onTestFinished(() => page.close());
  return { url: page.url, world };
}

describeInBrowser('page of the companion', (browser) => {
  it('has no serious axe findings in both themes, and fits a phone', async () => {
    const { url } = await servedWorld();
    const page = await visit(browser(), url, { viewport: { width: 390, height: 844 } });
    await page.getByRole('heading', { name: 'Companion', level: 1 }).waitFor();
    for (const name of ['Pending approvals', 'People', 'Channels', 'Conversations'])
      await page.getByRole('region', { name }).waitFor();
    expect(await seriousInBothThemes(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('shows people with memories and tasks, and approves and rejects by keyboard', async () => {
    const { url, world } = await servedWorld();
    const page = await visit(browser(), url);
    const people = page.getByRole('region', { name: 'People' });
    await people.getByText('I like tea.').waitFor();
    await people.getByText('Plan the herb garden').waitFor();
    const approvals = page.getByRole('region', { name: 'Pending approvals' });
    const press = async (name: string): Promise<void> => {
      await approvals.getByRole('button', { name }).first().focus();
      await page.keyboard.press('Enter');
    };
    await press('Approve carl');
    await page.getByRole('status').getByText('Approved.').waitFor();
    await people.getByRole('heading', { name: 'carl' }).waitFor();
    await press('Approve');
    await approvals.getByText('Send to Ann').waitFor({ state: 'detached' });
    await press('Apply');
    await people.getByText('I am a pilot.').waitFor();
    while ((await approvals.getByRole('button', { name: 'Dismiss' }).count()) > 0) {
      const countBefore = await approvals.getByRole('listitem').count();
      await press('Dismiss');
      await expect.poll(() => approvals.getByRole('listitem').count()).not.toBe(countBefore);
    }
    await approvals.getByText('No approval is pending.').waitFor();
    await world.settle();
    expect(await world.received('http', 'ann')).toEqual(['Bob: Hello.']);
    expect((await world.received('http', 'carl')).at(-1)).toBe('Hi!');
  });
});
