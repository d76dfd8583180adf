import { TholeError } from '@thole/core';
import type { ToolContext } from '@thole/core';

type Code = 'MEMORY_NOT_CONFIGURED' | 'ARTIFACT_NOT_CONFIGURED';

/** What `ask` answers; without the service, an error that the model can read, and a warning for whoever runs it. */
export async function answerIfNotConfigured<T>(
  p: { tool: string; code: Code; error: string; toolContext: ToolContext },
  ask: () => Promise<T>,
): Promise<T | { error: string; code: Code }> {
  try {
    return await ask();
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
