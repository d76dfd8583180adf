import { TholeError } from '@thole/core';
import type { RouteCall } from '../route.ts';
import { wireSession } from './wire-session.ts';

const PAGE = 50;

interface Paging {
  limit?: number | undefined;
  offset?: number | undefined;
  page?: number | undefined;
  order?: 'asc' | 'desc' | undefined;
}

/** One page of a user's sessions; all, the newest at most, where no paging is asked for. */
export async function listSessions({ house, names, query, runner }: RouteCall<unknown, Paging>): Promise<Response> {
  const most = house.limits.listItems;
  const whose = { appName: runner.appName, userId: names.user };
  if (Object.values(query).every((value) => value === undefined)) {
    const { sessions } = await runner.sessionService.listSessions({ ...whose, limit: most, order: 'desc' });
    return Response.json(sessions.reverse().map(wireSession));
  }
  const { limit, offset, page, order } = pageOf(query, most);
  const { sessions, total } = await runner.sessionService.listSessions({ ...whose, limit, offset, order });
  const totalPages = Math.ceil(total / limit);
  return Response.json({ sessions: sessions.map(wireSession), page, limit, totalItems: total, totalPages });
}

function pageOf(
  query: Paging,
  most: number,
): { limit: number; offset: number; page: number; order: 'asc' | 'desc' | undefined } {
  const { limit: asked = PAGE, offset, page, order } = query;
  if (asked === 0) throw new TholeError('INVALID_INPUT', 'query.limit must be an integer ≥ 1.');
  if (page === 0) throw new TholeError('INVALID_INPUT', 'query.page must be an integer ≥ 1.');
  if (page !== undefined && offset !== undefined)
    throw new TholeError('INVALID_INPUT', 'query.page and query.offset must not both be given.');
  const limit = Math.min(asked, most);
  if (page !== undefined) return { limit, page, order, offset: (page - 1) * limit };
  return { limit, order, offset: offset ?? 0, page: Math.floor((offset ?? 0) / limit) + 1 };
}
