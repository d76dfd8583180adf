import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';

const FILES = ['.env.example', '.gitignore', 'README.md', 'agent.test.ts', 'agent.ts', 'package.json', 'tsconfig.json'];

function read(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

describe('thole create without a terminal', () => {
  it('creates a project with the demo model, and prints the next steps', async () => {
    const cwd = temporaryFolder();
    const { code, output, errors } = await thole(['create', 'my-agent'], { cwd });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(
      /^Created my-agent\. Next:\n\n {2}cd my-agent\n(?: {2}node .* tarballs\n)? {2}npm install\n/,
    );
    expect(output).toContain('\n  npm start');
    expect(readdirSync(join(cwd, 'my-agent')).sort()).toEqual([...FILES, 'demo-llm.ts'].sort());
    expect(read(cwd, 'my-agent/agent.ts')).toContain("name: 'my_agent'");
  });

  it('creates modules without double spaces in their texts', async () => {
    const cwd = temporaryFolder();
    await thole(['create', 'x'], { cwd });
    const files = readdirSync(join(cwd, 'x')).filter((file) => file.endsWith('.ts'));
    expect(files.flatMap((file) => read(cwd, `x/${file}`).match(/.*\S {2,}\S.*/g) ?? [])).toEqual([]);
  });

  it('uses packed packages as dependencies when it runs from a clone', async () => {
    const cwd = temporaryFolder();
    const { output } = await thole(['create', 'x', '--model', 'gemini'], { cwd });
    const manifest = JSON.parse(read(cwd, 'x/package.json')) as Record<string, { [name: string]: string }>;
    const root = join(import.meta.dirname, '../../../..');
    const packed = (folder: string): string => `file:${join(root, '.tools/tarballs', folder)}.tgz`;
    const needed = { '@thole/cli': packed('cli'), '@thole/runner': packed('runner'), '@thole/tools': packed('tools') };
    const zod = expect.stringMatching(/^\^4\./) as string;
    expect(manifest.dependencies).toMatchObject({ ...needed, zod });
    // npm rejects an override of a direct dependency (EOVERRIDE), also of one that is added later.
    const overrides = manifest.overrides as unknown as { [name: string]: { [name: string]: string } };
    for (const each of Object.values(overrides)) expect(each).toEqual(expect.any(Object));
    const { '@thole/channels': ofChannels, '@thole/cli': ofCli } = overrides;
    expect(ofChannels).toMatchObject({ '@thole/memory': packed('memory'), '@thole/recall': packed('recall') });
    expect(ofCli).toMatchObject({ '@thole/recall': packed('recall'), '@thole/server': packed('server') });
    expect(Object.keys(ofCli!)).not.toContain('@thole/cli');
    expect(read(cwd, 'x/README.md')).toContain(`npm install ${packed('memory').replace('file:', '')}\``);
    const isPacked = existsSync(join(root, '.tools/tarballs/cli.tgz'));
    expect(output.includes(`  node ${join(root, 'scripts/run.mjs')} tarballs\n`)).toBe(!isPacked);
  });

  it.each([
    ['gemini', "createAgent('gemini-", 'GEMINI_API_KEY='],
    ['openai', "createAgent('gpt-", 'OPENAI_API_KEY='],
    ['anthropic', "createAgent('claude-", 'ANTHROPIC_API_KEY='],
    ['anthropic/claude-opus-5', "createAgent('anthropic/claude-opus-5')", 'ANTHROPIC_API_KEY='],
    ['gemini-2.5-pro', "createAgent('gemini-2.5-pro')", 'GEMINI_API_KEY='],
    ['openai/llama3:8b', "createAgent('openai/llama3:8b')", 'OPENAI_API_KEY='],
  ])('accepts --model %s', async (model, line, key) => {
    const cwd = temporaryFolder();
    expect((await thole(['create', 'x', '-m', model], { cwd })).code).toBe(0);
    expect(read(cwd, 'x/agent.ts')).toContain(line);
    expect(read(cwd, 'x/.env.example')).toContain(key);
    expect(readdirSync(join(cwd, 'x')).sort()).toEqual([...FILES].sort());
  });

  it('adds the package of Claude models for anthropic only', async () => {
    const cwd = temporaryFolder();
    await thole(['create', 'x', '-m', 'anthropic'], { cwd });
    await thole(['create', 'y', '-m', 'openai'], { cwd });
    const dependencies = (name: string): string[] =>
      Object.keys((JSON.parse(read(cwd, `${name}/package.json`)) as { dependencies: object }).dependencies);
    expect(dependencies('x')).toContain('@thole/provider-anthropic');
    expect(dependencies('y')).not.toContain('@thole/provider-anthropic');
  });

  it('uses the defaults with --yes, also for the name', async () => {
    const cwd = temporaryFolder();
    expect((await thole(['create', '--yes'], { cwd })).code).toBe(0);
    expect(readdirSync(cwd)).toEqual(['hello-agent']);
  });

  it('creates a project in an existing empty folder, such as the working directory', async () => {
    const cwd = temporaryFolder();
    const { code, output } = await thole(['create', '.'], { cwd });
    expect(code).toBe(0);
    expect(output).not.toContain('cd ');
    expect(existsSync(join(cwd, 'agent.ts'))).toBe(true);
  });

  it('prints a path with spaces as one word of a shell', async () => {
    const { output } = await thole(['create', "Ada's projects/x"], { cwd: temporaryFolder() });
    expect(output).toContain(`  cd 'Ada'\\''s projects/x'\n`);
  });

  it('changes names that an agent must not have', async () => {
    const cwd = temporaryFolder();
    await thole(['create', 'user'], { cwd });
    await thole(['create', '1st.agent'], { cwd });
    expect(read(cwd, 'user/agent.ts')).toContain("name: 'user_agent'");
    expect(read(cwd, '1st.agent/agent.ts')).toContain("name: '_1st_agent'");
  });
});

describe('thole create with invalid values', () => {
  it('rejects a folder that is not empty, before anything is written', async () => {
    const cwd = temporaryFolder({ 'x/kept.txt': 'kept' });
    expect(await thole(['create', 'x'], { cwd })).toEqual({
      code: 1,
      output: '',
      errors: 'error: The folder x is not empty: choose another name.\n',
    });
    expect(readdirSync(join(cwd, 'x'))).toEqual(['kept.txt']);
  });

  it('rejects a path that is a file', async () => {
    const { code, errors } = await thole(['create', 'x'], { cwd: temporaryFolder({ x: '' }) });
    expect({ code, errors }).toEqual({ code: 1, errors: 'error: x exists and is not a folder.\n' });
    const below = await thole(['create', 'x/y'], { cwd: temporaryFolder({ x: '' }) });
    expect(below.errors).toBe('error: x/y cannot be a folder: ENOTDIR.\n');
  });

  it.each([
    [['create'], 'The name is missing: thole create <name>, or --yes for the defaults.'],
    [['create', ''], 'The name must not be empty.'],
    [['create', 'a b'], 'The name must consist of letters, digits'],
    [['create', 'node_modules'], 'The name must consist of letters, digits'],
    ...['con', 'NUL', 'com1', 'lpt9.txt', 'shop.'].map((name): [string[], string] => [
      ['create', name],
      'Windows allows no folder with this name',
    ]),
    [['create', 'a:b'], 'The name must consist of letters, digits'],
    [['create', '-x'], "unknown option '-x'"],
    [['create', 'x', '--model', 'claude'], '--model must be demo, gemini, openai, anthropic, or a name such as'],
    [['create', 'x', '--model', "a'b"], '--model must be the name of a model.'],
  ])('rejects %j, and writes nothing', async (argv, sentence) => {
    const cwd = temporaryFolder();
    const { code, errors } = await thole(argv, { cwd });
    expect(code).toBe(2);
    expect(errors).toContain(`error: ${sentence}`);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('thole create in a terminal', () => {
  const type = async (argv: readonly string[], cwd: string, ...keys: string[]): ReturnType<typeof thole> => {
    const input = Object.assign(new PassThrough(), { setRawMode() {} });
    const questions = ['Name of the project', '◆  Model'].slice(2 - keys.length);
    let answered = 0;
    return thole(argv, {
      cwd,
      tty: true,
      input,
      onOutput: (output) => {
        if (answered === keys.length || !output.includes(questions[answered]!)) return;
        const nextKeys = keys[answered++];
        // A question is written before the program reads keys for it.
        setTimeout(() => input.write(nextKeys), 50);
      },
    });
  };

  it('asks for the name and the model', async () => {
    const cwd = temporaryFolder();
    const { code, output } = await type(['create'], cwd, 'asked\r', '\u001b[B\r');
    expect(code).toBe(0);
    expect(output).toContain('Created asked.');
    expect(read(cwd, 'asked/agent.ts')).toContain("createAgent('gemini-");
  });

  it.each([
    ['a b', 'Use letters, digits, dots'],
    ['NUL', 'Windows allows no folder with this name'],
  ])('asks again for the name %s', async (name, sentence) => {
    const cwd = temporaryFolder();
    const { output } = await type(['create'], cwd, `${name}\r${'\u007f'.repeat(3)}asked\r`, '\r');
    expect(output).toContain(sentence);
    expect(readdirSync(cwd)).toEqual(['asked']);
  });

  it('accepts the working directory as the name', async () => {
    const cwd = temporaryFolder();
    expect((await type(['create'], cwd, '.\r', '\r')).code).toBe(0);
    expect(existsSync(join(cwd, 'agent.ts'))).toBe(true);
  });

  it('asks for missing values only', async () => {
    const cwd = temporaryFolder();
    const { output } = await type(['create', 'given'], cwd, '\r');
    expect(output).not.toContain('Name of the project');
    expect(existsSync(join(cwd, 'given/demo-llm.ts'))).toBe(true);
    const { output: silent } = await thole(['create', 'other', '--model', 'openai'], { cwd, tty: true });
    expect(silent).toMatch(/^Created other\./);
  });

  it('creates nothing and exits with 130 when it is cancelled', async () => {
    const cwd = temporaryFolder();
    const { code, output } = await type(['create', 'x'], cwd, '\u0003');
    expect(code).toBe(130);
    expect(output).toContain('Nothing was created.');
    expect(readdirSync(cwd)).toEqual([]);
  });
});
