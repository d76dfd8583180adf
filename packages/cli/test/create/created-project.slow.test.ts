import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { packageFlags } from '../../../../test/servers/package-flags.ts';
import { spawnThole } from '../support/spawn-thole.ts';
import { linkPackages, temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';

const root = join(import.meta.dirname, '../../../..');

async function createProject(model: string): Promise<string> {
  const cwd = temporaryFolder();
  expect((await thole(['create', 'hello', '--model', model], { cwd })).code).toBe(0);
  const project = join(cwd, 'hello');
  link(project);
  return project;
}

function link(project: string): void {
  linkPackages(project, 'core', 'runner', 'tools', 'cli', 'mem-services');
  symlinkSync(join(root, 'packages/tools/node_modules/zod'), join(project, 'node_modules/zod'), 'dir');
  symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'), 'dir');
}

describe('a created project', () => {
  it('answers with its tool in a separate process, without a key', async () => {
    const cwd = await createProject('demo');
    const { code, output, errors } = await spawnThole(['run', '.'], {
      cwd,
      input: 'Hello\nWhat time is it in Tokyo?\n',
    });
    expect({ code, errors: errors.split('\n')[0] }).toEqual({
      code: 0,
      errors: 'hello is ready. /help lists the commands.',
    });
    expect(output).toMatch(
      /^hello: You said: Hello\. .*\n {2}\[current_time\(timeZone: "Asia\/Tokyo"\) → time: "\d\d:\d\d"\]\nhello: It is \d\d:\d\d there\.\n$/,
    );
  });

  it('remembers a fact in another session, without a key', async () => {
    const cwd = await createProject('demo');
    const input = 'Remember that Ada likes tea.\n/new\nWhat do you remember about tea?\n';
    const { code, output } = await spawnThole(['run', '.'], { cwd, input });
    expect(code).toBe(0);
    expect(output).toMatch(/hello: I will remember that\.\n[^]*hello: I remember: Ada likes tea\.\n$/);
  });

  it.each(['demo', 'gemini', 'openai'])('passes its tests offline, without a key: %s', async (model) => {
    const cwd = await createProject(model);
    const { NODE_COMPILE_CACHE, PATH } = process.env;
    const env = { PATH, NODE_OPTIONS: packageFlags.join(' '), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
    const { stdout, status } = spawnSync(process.execPath, ['--test'], { cwd, env, encoding: 'utf8' });
    expect({
      status,
      counts: stdout.match(/(?<=(?:ℹ|#) (?:pass|fail) )\d+/g),
      stdout: status === 0 ? '' : stdout,
    }).toEqual({
      status: 0,
      counts: ['3', '0'],
      stdout: '',
    });
  });

  it('has a README that lists its files and scripts', async () => {
    const cwd = await createProject('demo');
    const text = (file: string): string => readFileSync(join(cwd, file), 'utf8');
    const { scripts } = JSON.parse(text('package.json')) as { scripts: { [name: string]: string } };
    // The command is installed in the project, not on the PATH.
    expect(text('README.md')).not.toMatch(/(?<!npx )thole (?:web|run|api_server)\b/);
    for (const each of Object.keys(scripts)) expect(text('README.md')).toMatch(new RegExp(`npm (run )?${each}\\b`));
    for (const file of ['agent.ts', 'agent.test.ts', 'demo-llm.ts']) expect(text('README.md')).toContain(`\`${file}\``);
  });

  it.each([
    ['gemini', 'GEMINI_API_KEY'],
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
  ])('prints the name of the missing key of %s', async (model, key) => {
    // A key of the developer must not reach the child process. The key and the address are not valid.
    vi.stubEnv(key, 'k');
    vi.stubEnv(key.replace('API_KEY', 'BASE_URL'), 'http://127.0.0.1:9');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, output } = await spawnThole(['run', '.', 'Hi'], { cwd: await createProject(model) });
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^! INVALID_INPUT: [^\n]*${key}[^\n]*\n$`));
  });

  it('compiles in strict mode with demo, gemini and openai', async () => {
    const cwd = temporaryFolder();
    const models = ['demo', 'gemini', 'openai'];
    for (const model of models) expect((await thole(['create', model, '--model', model], { cwd })).code).toBe(0);
    link(cwd);
    const config = { extends: './demo/tsconfig.json', include: models.map((each) => `${each}/*.ts`) };
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(config));
    const condition = packageFlags.length === 0 ? [] : ['--customConditions', '@thole/source'];
    const options = [...condition, '--pretty', 'false'];
    const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), options, { cwd, encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });
});
