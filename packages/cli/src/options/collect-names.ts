/** Adds the names of one use of a repeated option, separated by commas, to those of the earlier uses. */
export function collectNames(text: string, previous: readonly string[] = []): string[] {
  return [
    ...previous,
    ...text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  ];
}
