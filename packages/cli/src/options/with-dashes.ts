const underscored = /^--[a-z][a-z\d]*(?:_[a-z\d]+)+(?==|$)/;

/**
 * Returns the arguments with options such as `--session_service_uri` written with dashes. Arguments after `--` stay
 * unchanged.
 */
export function withDashes(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((argument, i) =>
    end !== -1 && i > end ? argument : argument.replace(underscored, (name) => name.replaceAll('_', '-')),
  );
}

/** Returns a text that spells the names of options with dashes if they are spelled so in the arguments. */
export function spelledAsIn(argv: readonly string[], text: string): string {
  const typed = argv.map((argument) => argument.split('=', 1)[0]!);
  return text.replaceAll(/--[a-z\d]+(?:_[a-z\d]+)+/g, (name) => {
    const dashed = name.replaceAll('_', '-');
    return typed.includes(dashed) ? dashed : name;
  });
}
