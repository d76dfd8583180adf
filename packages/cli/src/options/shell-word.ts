import process from 'node:process';

/**
 * Returns a text as one word of a shell, for commands that the user can copy: a POSIX shell, or on Windows cmd and PowerShell. Quoted
 * only if needed.
 */
export function shellWord(text: string, platform: string = process.platform): string {
  if (platform === 'win32') return /^[\w./\\:=+-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
