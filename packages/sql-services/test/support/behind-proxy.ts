import type { DatabaseSessionService } from '@thole/sql-services';
import { onTestFinished } from 'vitest';
import { startCuttingProxy } from './cutting-proxy.ts';
import type { CuttingProxy } from './cutting-proxy.ts';

/** Opens a service behind a proxy, with the session `app`, `u`, `s`. */
export async function openBehindProxy(
  dbUrl: string,
  open: (dbUrl: string) => DatabaseSessionService,
): Promise<{ proxy: CuttingProxy; service: DatabaseSessionService }> {
  const proxy = await startCuttingProxy(Number(new URL(dbUrl).port));
  onTestFinished(() => proxy.close());
  const url = new URL(dbUrl);
  url.port = String(proxy.port);
  const service = open(url.href);
  await service.createSession({ appName: 'app', userId: 'u', sessionId: 's' });
  return { proxy, service };
}
