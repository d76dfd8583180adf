/** An error on the server, sent by servers in development. */
export interface ErrorDebug {
  /** `TypeError: sentence`, or the code and the sentence. */
  message: string;
  /** Stacks of the error and its causes. */
  stack?: string | undefined;
  /** Messages of the causes, outermost first. */
  causes: readonly string[];
}

/** Returns the `debug` member of a response or frame. Undefined if there is no such member. */
export function readErrorDebug(body: unknown): ErrorDebug | undefined {
  const { debug } = (body ?? {}) as { debug?: Partial<ErrorDebug> | null };
  if (typeof debug?.message !== 'string') return undefined;
  const { message, stack, causes } = debug;
  return {
    message,
    ...(typeof stack === 'string' && { stack }),
    causes: Array.isArray(causes) ? causes.map(String) : [],
  };
}
