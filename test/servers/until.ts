/** Asks again until this is true. Throws after the limit, with what `why` says. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  options: { limitMs?: number; everyMs?: number; why?: string } = {},
): Promise<void> {
  const { limitMs = 60_000, everyMs = 20, why = 'what was waited for did not happen' } = options;
  const end = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`After ${limitMs} ms: ${why}.`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
