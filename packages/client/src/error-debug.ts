/** An error on the server, told by servers in development. */
export interface ErrorDebug {
  /** `TypeError: sentence`, or the code and the sentence. */
  message: string;
  /** Stacks of the error and its causes. */
  stack?: string | undefined;
  /** Messages of the cause chain, outermost first. */
  causes: readonly string[];
}

/** Returns the `debug` member of an answer or frame; undefined if it has none. */
export function errorDebugIn(told: unknown): ErrorDebug | undefined {
  const { debug } = (told ?? {}) as { debug?: Partial<ErrorDebug> | null };
  if (typeof debug?.message !== 'string') return undefined;
  const { message, stack, causes } = debug;
  return {
    message,
    ...(typeof stack === 'string' && { stack }),
    causes: Array.isArray(causes) ? causes.map(String) : [],
  };
}
