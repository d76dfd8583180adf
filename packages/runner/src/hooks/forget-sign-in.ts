import { errorFields } from '@thole/core/kit';
import type { RunTask } from '../invocation/run-task.ts';

/** Deletes the secrets of a sign-in that has its answer or is not needed. A failure is only logged. */
export async function forgetSignIn({ ref, runner }: RunTask, interruptId: string): Promise<void> {
  const { appName, userId } = ref;
  await runner.authenticator?.forgetSignIn({ appName, userId, interruptId }).catch((error: unknown) => {
    runner.runtime.logger.warn('A sign-in was not deleted.', { interruptId, ...errorFields(error) });
  });
}
