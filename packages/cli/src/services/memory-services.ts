import type { MemoryService } from '@thole/core';
import type { OpenContext, OpenService, ServiceTable } from './service-table.ts';
import { inProcess } from './service-table.ts';
import type { ServiceUri } from './service-uri.ts';

/** What keeps memory, by the scheme of its URI. Each is loaded when it is opened. */
export const memoryServices: ServiceTable<MemoryService> = {
  memory: openInMemory,
};

async function openInMemory(_uri: ServiceUri, { runtime }: OpenContext): Promise<OpenService<MemoryService>> {
  const { InMemoryMemoryService } = await import('@thole/mem-services');
  return inProcess(new InMemoryMemoryService({ runtime }));
}
