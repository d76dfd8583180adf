import { createClient } from '@thole/client';
import type { Client } from '@thole/client';
import { accessHeaders } from './access-token.ts';
import { trackedFetch } from './connection.ts';

/** The address of the API: the part of the page's address before `/dev-ui/`. */
export const baseUrl: string = location.href.replace(/[?#].*$/, '').replace(/\/dev-ui(\/.*)?$/, '');

/** The address of the page, without its route. */
export const pageAddress: string = location.href.replace(/[?#].*$/, '');

/** The client for all requests to the server. */
export const client: Client = createClient({ baseUrl, fetch: trackedFetch, headers: accessHeaders });
