import { ZonedTime } from '@thole/core';
import { invalidInput } from '@thole/core/kit';
import type { ToolContext } from '@thole/core';

/**
 * The user's time zone, by its IANA name, or what tells it for a call: memories' times are told in it, and the model's are read
 * in it. Without one, or where none is told, UTC.
 */
export type ToldTimeZone = string | ((toolContext: ToolContext) => string | undefined);

/** The clocks of each call's user. `INVALID_INPUT` for a name that is none, at once or when it is told. */
export function zonesOf(timeZone: ToldTimeZone | undefined): (toolContext: ToolContext) => ZonedTime | undefined {
  if (timeZone === undefined) return () => undefined;
  if (typeof timeZone === 'string') {
    const zone = new ZonedTime(timeZone);
    return () => zone;
  }
  if (typeof timeZone !== 'function') throw invalidInput('timeZone', 'a string or a function', timeZone);
  return (toolContext) => {
    const told = timeZone(toolContext);
    return told === undefined ? undefined : new ZonedTime(told);
  };
}
