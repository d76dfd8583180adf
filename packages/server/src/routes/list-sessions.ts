import { TholeError } from '@thole/core';
import type { RouteCall } from '../route.ts';
import { wireSession } from './wire-session.ts';

const DEFAULT_PAGE_SIZE = 50;

interface Paging {
  limit?: number | undefined;
  offset?: number | undefined;
  page?: number | undefined;
  order?: 'asc' | 'desc' | undefined;
}

/** Returns one page of a user's sessions. Without paging parameters, returns a list of the newest sessions. */
export async function listSessions({ context, params, query, runner }: RouteCall<unknown, Paging>): Promise<Response> {
  const maxItems = context.limits.listItems;
  const user = { appName: runner.appName, userId: params.user };
  if (Object.values(query).every((value) => value === undefined)) {
    const { sessions } = await runner.sessionService.listSessions({ ...user, limit: maxItems, order: 'desc' });
    return Response.json(sessions.reverse().map(wireSession));
  }
  const { limit, offset, page, order } = pageOf(query, maxItems);
  const { sessions, total } = await runner.sessionService.listSessions({ ...user, limit, offset, order });
  const totalPages = Math.ceil(total / limit);
  return Response.json({ sessions: sessions.map(wireSession), page, limit, totalItems: total, totalPages });
}

function pageOf(
  query: Paging,
  maxItems: number,
): { limit: number; offset: number; page: number; order: 'asc' | 'desc' | undefined } {
  const { limit: pageSize = DEFAULT_PAGE_SIZE, offset, page, order } = query;
  if (pageSize === 0) throw new TholeError('INVALID_INPUT', 'query.limit must be an integer ≥ 1.');
  if (page === 0) throw new TholeError('INVALID_INPUT', 'query.page must be an integer ≥ 1.');
  if (page !== undefined && offset !== undefined)
    throw new TholeError('INVALID_INPUT', 'query.page and query.offset must not be used together.');
  const limit = Math.min(pageSize, maxItems);
  if (page !== undefined) return { limit, page, order, offset: (page - 1) * limit };
  return { limit, order, offset: offset ?? 0, page: Math.floor((offset ?? 0) / limit) + 1 };
}
