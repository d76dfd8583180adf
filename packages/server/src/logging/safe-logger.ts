import type { Logger } from '@thole/core';

/** Returns a logger that never throws, so that a broken logger changes no response and ends no background work. */
export function safeLogger(logger: Logger): Logger {
  const safe =
    (level: keyof Logger): Logger[keyof Logger] =>
    (message, fields) => {
      try {
        logger[level](message, fields);
      } catch {}
    };
  return { debug: safe('debug'), info: safe('info'), warn: safe('warn'), error: safe('error') };
}
