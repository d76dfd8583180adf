import { createClient } from '@thole/client';
import type { Client } from '@thole/client';
import { accessHeaders } from './access-token.ts';
import { watchedFetch } from './connection.ts';

/** The address of the API: what stands before `/dev-ui/` in that of the page. */
export const baseUrl: string = location.href.replace(/[?#].*$/, '').replace(/\/dev-ui(\/.*)?$/, '');

/** All talk with the server goes through it. */
export const client: Client = createClient({ baseUrl, fetch: watchedFetch, headers: accessHeaders });
