const underscored = /^--[a-z][a-z\d]*(?:_[a-z\d]+)+(?==|$)/;

/** Arguments with `--session_service_uri` written as `--session-service-uri`: both are taken. What follows `--` is left alone. */
export function withDashes(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((argument, i) =>
    end !== -1 && i > end ? argument : argument.replace(underscored, (name) => name.replaceAll('_', '-')),
  );
}
