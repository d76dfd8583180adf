import type { Logger } from '@thole/core';
import type { Runner } from '@thole/runner';
import { describeError } from './logging/describe-error.ts';

/** Closes the services of runners, each once, if it has a `close`. An error is logged, and the others are closed. */
export async function closeServices(runners: Iterable<Runner>, logger: Logger): Promise<void> {
  const services = new Set<unknown>();
  for (const { sessionService, memoryService, artifactService } of runners)
    for (const each of [sessionService, memoryService, artifactService]) services.add(each);
  const closing = [...services].map(async (each) => (each as { close?(): unknown } | undefined)?.close?.());
  for (const result of await Promise.allSettled(closing)) {
    if (result.status === 'fulfilled') continue;
    const { message: error, ...rest } = describeError(result.reason);
    logger.error('A service could not be closed.', { error, ...rest });
  }
}
