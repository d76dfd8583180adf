/**
 * Returns the names of all options of `Options`. The compiler rejects a list with a missing or an unknown option, so that the
 * list stays complete when the type changes.
 */
export function optionNames<Options extends object>(names: Record<keyof Options, true>): readonly string[] {
  return Object.keys(names);
}
