/** Adds the comma-separated names of a repeated option to the names of its earlier uses. */
export function collectNames(text: string, previous: readonly string[] = []): string[] {
  return [
    ...previous,
    ...text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  ];
}
