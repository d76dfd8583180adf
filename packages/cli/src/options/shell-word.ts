/** Returns a text as one word of a POSIX shell, for commands that the user can copy. Quoted only if needed. */
export function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
