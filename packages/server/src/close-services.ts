import type { Logger } from '@thole/core';
import { errorFields } from '@thole/core/kit';
import type { Runner } from '@thole/runner';

/** Closes each service of the runners once, if it has a `close`. Logs errors and continues with the other services. */
export async function closeServices(runners: Iterable<Runner>, logger: Logger): Promise<void> {
  const services = new Set<unknown>();
  for (const { sessionService, memoryService, artifactService } of runners)
    for (const each of [sessionService, memoryService, artifactService]) services.add(each);
  const closing = [...services].map(async (each) => (each as { close?(): unknown } | undefined)?.close?.());
  for (const result of await Promise.allSettled(closing)) {
    if (result.status === 'rejected') logger.error('A service could not be closed.', { ...errorFields(result.reason) });
  }
}
