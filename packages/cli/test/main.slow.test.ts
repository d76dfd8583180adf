import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentText } from './support/agent-text.ts';
import { nodeArgs, spawnThole } from './support/spawn-thole.ts';
import { linkPackages, temporaryFolder } from './support/temporary-folder.ts';

const agent = `
import { LlmAgent } from '@thole/runner';
import { hangs, says, ScriptedLlm } from '@thole/testing';
const works = (...call) => (console.error('The model works.'), hangs()(...call));
export const rootAgent = new LlmAgent({ name: 'hello', model: new ScriptedLlm(says('First.'), works, says('Third.')) });
`;

function project(files: { [path: string]: string } = {}): string {
  const cwd = temporaryFolder({ 'hello/agent.ts': agent, ...files });
  linkPackages(cwd, 'runner', 'testing');
  return cwd;
}

describe('thole', () => {
  it('stops an answer at Ctrl-C, and exits with 0 without an answer', async () => {
    const cwd = project();
    let step = 0;
    const { code, output } = await spawnThole(['run', 'hello'], {
      cwd,
      input: 'one\n',
      keepOpen: true,
      onText(text, child) {
        if (step === 0 && text.includes('First.')) {
          step = 1;
          child.write('two\n');
        }
        if (step === 1 && text.includes('The model works.')) {
          step = 2;
          child.signal('SIGINT');
        }
        if (step === 2 && text.includes('(stopped)')) {
          step = 3;
          child.write('three\n/help\n');
        }
        if (step === 3 && text.includes('/quit')) {
          step = 4;
          child.signal('SIGINT');
        }
      },
    });
    expect(code).toBe(0);
    expect(output).toMatch(/^hello: First\.\n\(stopped\)\nhello: Third\.\n/);
  });

  it('serves TypeScript agents until Ctrl-C, and exits with 0', async () => {
    const cwd = project();
    let apps: Promise<unknown> | undefined;
    const { code, output, errors } = await spawnThole(['web', '.', '--port', '0'], {
      cwd,
      onText(text, child) {
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
        if (!url || !text.includes('Ctrl-C')) return;
        apps ??= fetch(`${url}/list-apps`)
          .then((response) => response.json())
          .finally(() => child.signal('SIGINT'));
      },
    });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^Serving hello\n/);
    expect(await apps).toEqual(['hello']);
  });

  it('explains a module whose top-level await never settles, and exits with 1', async () => {
    const cwd = project({ 'stuck/agent.ts': 'await new Promise(() => {});\nexport const rootAgent = undefined;\n' });
    const { code, errors } = await spawnThole(['run', 'stuck', 'Hello'], { cwd });
    expect(code).toBe(1);
    expect(errors).toMatch(/^error: stuck\/agent\.ts: .* awaits a promise that never settles/);
    expect(errors).not.toContain('Warning');
  });

  it('names the place of a process.exit in a module, and exits with 1', async () => {
    const cwd = project({ 'exiting/agent.ts': 'export const rootAgent = undefined;\nprocess.exit(0);\n' });
    const { code, errors } = await spawnThole(['run', 'exiting', 'Hello'], { cwd });
    expect({ code, errors }).toEqual({
      code: 1,
      errors:
        'error: exiting/agent.ts:2: The module called process.exit(0). Remove the call, or throw an error instead.\n',
    });
  });

  it('prints only the uncaught error of a module that is being loaded', async () => {
    const text = 'queueMicrotask(() => { throw new Error("mine"); });\nawait new Promise(() => {});\n';
    const { code, errors } = await spawnThole(['run', 'failing', 'Hello'], {
      cwd: project({ 'failing/agent.ts': text }),
    });
    expect(code).toBe(1);
    expect(errors).toContain('Error: mine');
    expect(errors).not.toContain('process.exit');
  });

  it('exits without an error when its output is closed', async () => {
    const cwd = project({
      'echo/agent.ts': agentText('echo', '"x".repeat(1_000_000)'),
    });
    const { code, errors } = await spawnThole(['run', 'echo'], { cwd, input: 'a\n'.repeat(5), closeOutput: true });
    expect(code).toBe(0);
    expect(errors).not.toContain('EPIPE');
  });

  it.runIf(existsSync('/dev/full'))('reports an output that cannot be written, and exits with 1', () => {
    const device = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(device));
    const { status, stderr } = spawnSync(process.execPath, [...nodeArgs, '--version'], {
      stdio: ['ignore', device, 'pipe'],
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/^error: The output cannot be written: ENOSPC/);
    expect(status).toBe(1);
  });

  it.skipIf(process.platform === 'win32')('explains a working directory that was deleted', () => {
    const cwd = temporaryFolder({ 'gone/file': '' });
    const script = 'cd "$0" && rm -r "$0" && exec "$@"';
    const args = ['-c', script, `${cwd}/gone`, process.execPath, ...nodeArgs, '--version'];
    const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    expect(stderr).toBe('error: The working directory does not exist. Change to another folder.\n');
    expect(status).toBe(1);
  });

  it('explains a version of Node that is too old to load the command', () => {
    // Node 22.0 has no `URL.parse`.
    const old = 'delete URL.parse; Object.defineProperty(process, "versions", { value: { node: "22.0.0" } });';
    const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, ...nodeArgs, '--version'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).toBe('error: thole needs Node 22.18 or newer, but this is Node 22.0.0. Install a newer Node.\n');
    expect(status).toBe(1);
  });

  it('prints warnings of agents, and not that SQLite is experimental', async () => {
    const warn = `
      process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
      process.emitWarning('The agent is slow.', 'SlowWarning');`;
    const cwd = temporaryFolder({ 'echo/agent.ts': agentText('echo', 'said', warn) });
    const { code, output, errors } = await spawnThole(['run', 'echo', 'Hello'], { cwd });
    expect({ code, output }).toEqual({ code: 0, output: 'echo: Hello\n' });
    expect(errors).toMatch(/^\(node:\d+\) SlowWarning: The agent is slow\.\n\(Use `node --trace-warnings .*\n$/);
  });

  it('exits with 2 for usage errors and 1 for failures', async () => {
    const cwd = project({ 'broken/agent.ts': 'throw new Error("No luck");' });
    expect(await spawnThole(['run'], { cwd })).toMatchObject({ code: 2, output: '' });
    expect(await spawnThole(['run', 'broken'], { cwd })).toEqual({
      code: 1,
      output: '',
      errors: 'error: broken/agent.ts:1: No luck.\n',
    });
  });
});
