/**
 * Calls `isDone` every `everyMs` (default 20) until it returns true. Throws after `limitMs` (default 60,000); `why` completes the
 * error message.
 */
export async function until(
  isDone: () => boolean | Promise<boolean>,
  options: { limitMs?: number; everyMs?: number; why?: string } = {},
): Promise<void> {
  const { limitMs = 60_000, everyMs = 20, why = 'the condition is not true' } = options;
  const end = Date.now() + limitMs;
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error(`After ${limitMs} ms: ${why}.`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
