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
