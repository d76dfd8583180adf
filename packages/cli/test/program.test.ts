import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';
import { thole } from './support/thole.ts';

const commands = [['create'], ['run'], ['web'], ['api_server'], ['mcp'], ['replay'], ['migrate', 'session']];

describe('thole --help', () => {
  it('names every command and shows examples', async () => {
    const { code, output, errors } = await thole(['--help']);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const [list] = output.split('\nCommands:\n')[1]!.split('\n\n');
    const names = list!.match(/^ {2}\w+/gm)!.map((name) => name.trim());
    expect(names).toEqual([...commands.map(([name]) => name), 'help']);
    expect(output).toMatch(/Examples:\n {2}\$ thole create/);
  });

  it.each(commands.map((each) => [each.join(' '), each] as const))(
    'shows options and examples of %s',
    async (_, command) => {
      const { code, output, errors } = await thole([...command, '--help']);
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
      expect(output).toMatch(/^Usage: thole /);
      expect(output).toMatch(/Examples:\n {2}\$ /);
    },
  );

  it.each(commands.map((each) => [each.join(' '), each] as const))(
    'names only options of %s that README.md names',
    async (name, command) => {
      const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
      const { output } = await thole([...command, '--help']);
      const options = [...output.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, option]) => option!);
      // The README writes names with `_`, as ADK does.
      const missing = options.filter((option) => !new RegExp(`--${option.replaceAll('-', '[-_]')}\\b`).test(readme));
      expect(options).toContain('help');
      expect(missing, 'add the options to packages/cli/README.md').toEqual([]);
      expect(readme).toMatch(new RegExp(`^## .*\\bthole ${name}\\b`, 'm'));
    },
  );

  it.each([['run'], ['web'], ['api_server'], ['mcp']])('names all schemes of service URIs for %s', async (name) => {
    const { output } = await thole([name, '--help']);
    const help = output.replace(/\s+/g, ' ');
    const schemes = 'sqlite://, postgresql://, mysql://, redis://, rediss://';
    expect(help).toContain(`--session-service-uri <uri> sessions: memory://, ${schemes}`);
    expect(help).toContain(`--memory-service-uri <uri> memory: memory://, ${schemes}`);
    expect(help).toContain(`--artifact-service-uri <uri> artifacts: memory://, file://, ${schemes}`);
  });

  it('prints the version of the package with --version', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
      version: string;
    };
    expect(await thole(['--version'])).toEqual({ code: 0, output: `${version}\n`, errors: '' });
  });

  it('prints help to standard error without a command, and exits with 2', async () => {
    const { code, output, errors } = await thole([]);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain('Usage: thole');
  });
});

describe('thole with invalid arguments', () => {
  it('suggests a similar command and exits with 2', async () => {
    expect(await thole(['crate'])).toEqual({
      code: 2,
      output: '',
      errors: "error: unknown command 'crate'\n(Did you mean create?)\n",
    });
  });

  it.each([
    [['help', 'nope'], "error: unknown command 'nope'\n"],
    [['--verbose', 'help', 'crate'], "error: unknown command 'crate'\n(Did you mean create?)\n"],
  ])('names an unknown command for %j and exits with 2', async (argv, errors) => {
    expect(await thole(argv)).toEqual({ code: 2, output: '', errors });
  });

  it.each(commands.map(([name]) => [name]))('prints the help of the command for help %s', async (name) => {
    const { code, output } = await thole(['help', name!]);
    expect({ code, output }).toEqual({ code: 0, output: (await thole([name!, '--help'])).output });
  });

  it('suggests a similar option and exits with 2', async () => {
    const { code, errors } = await thole(['web', '--prot', '1']);
    expect(code).toBe(2);
    expect(errors).toBe("error: unknown option '--prot'\n(Did you mean --port?)\n");
  });

  it.each([
    [['run'], "missing required argument 'agent'"],
    [['web', '--port', '70000'], '--port must be an integer from 0 to 65535.'],
    [['web', '--port', 'many'], '--port must be an integer from 0 to 65535.'],
    [['web', '--url_prefix', 'api'], '--url_prefix must start with / and have plain path segments, such as /api.'],
    [['web', '--url_prefix', '/a/../b'], '--url_prefix must start with / and have plain path segments, such as /api.'],
    [['run', 'hello', '--user-id', ''], '--user-id must not be empty.'],
    [['run', 'hello', '--user_id', ''], '--user_id must not be empty.'],
    [['web', '--log_level', 'loud'], '--log_level must be one of debug, info, warning, error, critical.'],
    [['web', '--host', ''], '--host must not be empty.'],
    [['run', 'hello', ''], 'The message must not be empty.'],
    [['run', 'nowhere'], 'There is no file or folder nowhere.'],
    [['migrate', 'session', '--from', 'sqlite:///a.db'], '--to must be the URL of a database'],
  ])('prints one sentence for %j and exits with 2', async (argv, sentence) => {
    const { code, output, errors } = await thole(argv, { cwd: temporaryFolder() });
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain(`error: ${sentence}`);
    expect(errors.trimEnd().split('\n')).toHaveLength(1);
  });

  it('prints the stack with --verbose at any position', async () => {
    for (const argv of [
      ['--verbose', 'run', 'nowhere'],
      ['run', 'nowhere', '--verbose'],
    ]) {
      const { code, errors } = await thole(argv, { cwd: temporaryFolder() });
      expect(code).toBe(2);
      expect(errors).toMatch(/^error: There is no file or folder nowhere\.\n[\s\S]*\n\s+at /);
    }
  });
});
