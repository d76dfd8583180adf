/**
 * Returns the names of all options of `Options`. The compiler rejects a list that lacks an option or names an unknown one, so
 * that the list stays complete when the type changes.
 */
export function optionNames<Options extends object>(names: Record<keyof Options, true>): readonly string[] {
  return Object.keys(names);
}
