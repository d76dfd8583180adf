/** The tabs of the inspector. */
export const tabs = ['event', 'request', 'state', 'memory', 'artifacts', 'trace', 'graph'] as const;
export type Tab = (typeof tabs)[number];

/** The view of the page. It is a part of the address, so that the view can be shared. */
export interface Route {
  app?: string | undefined;
  user: string;
  session?: string | undefined;
  /** Id of the selected event. */
  event?: string | undefined;
  tab: Tab;
}

export const DEFAULT_USER = 'user';
const DEFAULT_TAB: Tab = 'event';

/** Returns the route of `#/app/session/event?tab=state&user=ann`. Ignores invalid parts; never throws. */
export function parseRoute(hash: string): Route {
  const [path, query] = split(hash.replace(/^#\/?/, ''));
  const [app, session, event] = path.split('/').map(decode);
  const params = new URLSearchParams(query);
  const tab = params.get('tab');
  return {
    app: app || undefined,
    session: session || undefined,
    event: event || undefined,
    user: params.get('user') || DEFAULT_USER,
    tab: tabs.find((each) => each === tab) ?? DEFAULT_TAB,
  };
}

/** Returns the address of a route. Inverse of `parseRoute`. */
export function formatRoute(route: Route): string {
  const parts = [route.app, route.app && route.session, route.app && route.session && route.event];
  const path = parts.filter((each) => each !== undefined && each !== '').map((each) => encodeURIComponent(each!));
  const params = new URLSearchParams();
  if (route.tab !== DEFAULT_TAB) params.set('tab', route.tab);
  if (route.user !== DEFAULT_USER) params.set('user', route.user);
  const query = params.toString();
  return `#/${path.join('/')}${query && `?${query}`}`;
}

function split(text: string): [string, string] {
  const at = text.indexOf('?');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
