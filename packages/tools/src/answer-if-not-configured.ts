import { TholeError } from '@thole/core';
import type { ToolContext } from '@thole/core';

type Code = 'MEMORY_NOT_CONFIGURED' | 'ARTIFACT_NOT_CONFIGURED';

/** Returns the result of `execute`. If the service is not configured, returns an error for the model and logs a warning. */
export async function answerIfNotConfigured<T>(
  p: { tool: string; code: Code; error: string; toolContext: ToolContext },
  execute: () => Promise<T>,
): Promise<T | { error: string; code: Code }> {
  try {
    return await execute();
  } catch (error) {
    if (!TholeError.is(error, p.code)) throw error;
    const { agentName, sessionId, runtime } = p.toolContext;
    runtime.logger.warn(`${p.tool} was called without its service`, {
      tool: p.tool,
      code: p.code,
      agentName,
      sessionId,
    });
    return { error: p.error, code: p.code };
  }
}
