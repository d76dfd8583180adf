import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute } from '../page/state/route.ts';
import type { Route } from '../page/state/route.ts';

const emptyRoute: Route = { app: undefined, session: undefined, event: undefined, user: 'user', tab: 'event' };

describe('parseRoute and formatRoute', () => {
  it('returns the same view from its address, with any characters in names', () => {
    const names = ['hotel', 'a/b', 'a?b&c=d', '%41', '#', 'ü ø 漢', '..', 'a b '];
    for (const name of names) {
      const route: Route = { app: name, session: name, event: name, user: name, tab: 'state' };
      expect(parseRoute(formatRoute(route)), name).toEqual(route);
    }
  });

  it('leaves the default user and tab out of the address', () => {
    expect(formatRoute({ ...emptyRoute, app: 'hotel', session: 's1' })).toBe('#/hotel/s1');
    expect(formatRoute({ ...emptyRoute, app: 'hotel', user: 'ann', tab: 'trace' })).toBe('#/hotel?tab=trace&user=ann');
  });

  it('ignores a session without an app, and an event without a session', () => {
    expect(formatRoute({ ...emptyRoute, session: 's1', event: 'e1' })).toBe('#/');
    expect(formatRoute({ ...emptyRoute, app: 'hotel', event: 'e1' })).toBe('#/hotel');
  });

  it('reads the valid parts of an invalid address and never throws', () => {
    expect(parseRoute('')).toEqual(emptyRoute);
    expect(parseRoute('#')).toEqual(emptyRoute);
    expect(parseRoute('#/%E0%A4%A/s?tab=nonsense&tab=state')).toEqual({ ...emptyRoute, app: '%E0%A4%A', session: 's' });
    expect(parseRoute('#/hotel/s/e/more?user=')).toEqual({ ...emptyRoute, app: 'hotel', session: 's', event: 'e' });
  });
});
