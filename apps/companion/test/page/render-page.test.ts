import type { Interrupt } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { renderPage } from '../../src/page/render-page.ts';

describe('renderPage', () => {
  it('shows the call that runs after an approval, with hidden characters as escapes', () => {
    const interrupt: Interrupt = {
      ...{ id: 'i', kind: 'confirmation', agentName: 'companion', invocationId: 'v', eventId: 'e' },
      ...{ toolName: 'pay', args: { to: 'ann' }, payload: { arguments: { to: 'mallory\u202e' } } },
    } as unknown as Interrupt;
    const questions = [{ userId: 'ann', sessionId: 'ann:http', interrupt }];
    const page = renderPage({ people: [], channels: [], conversations: [], requests: [], questions });
    expect(page).toContain('&quot;to&quot;: &quot;mallory\\u202e&quot;');
    expect(page).toContain('<details open>');
  });
});
