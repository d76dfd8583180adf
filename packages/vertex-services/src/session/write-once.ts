import { TholeError } from '@thole/core';
import { withRetries } from '@thole/core/kit';
import type { VertexClient } from '../client/vertex-client.ts';

/**
 * Runs a write that must not be done twice. After an attempt without a clear answer, `isDone` looks for its result before
 * the next attempt. If `isDone` fails, throws the error of the attempt.
 */
export async function writeOnce(
  { maxAttempts, runtime }: VertexClient,
  write: () => Promise<void>,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const attempt = async (): Promise<{ error: unknown } | undefined> => {
    try {
      await write();
      return undefined;
    } catch (error) {
      // The client has already repeated requests that did nothing.
      if (!TholeError.is(error, 'STORE_OUTCOME_UNKNOWN')) return { error };
      const done = await isDone().catch(() => undefined);
      if (done === false) throw error;
      return done ? undefined : { error };
    }
  };
  const failed = await withRetries(attempt, { maxAttempts, runtime });
  if (failed) throw failed.error;
}
