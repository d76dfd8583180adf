import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root } from '../../../scripts/fetch-package.mjs';
import { runProgram } from '../../servers/run-program.ts';

/** The package that holds ADK's own web UI, built. Pinned: look at it before changing this. */
const packageName = '@google/adk-devtools';
const version = '2.0.0';

/**
 * The folder of ADK's web UI, from its package alone, without what that depends on. Made aside and renamed when whole, so that one
 * cut short does no harm.
 */
export async function fetchAdkUi(): Promise<string> {
  const target = join(root, '.tools', `adk-web@${version}`);
  if (!existsSync(join(target, 'done'))) {
    process.stderr.write(`thole: fetching ${packageName} ${version}\n`);
    const making = `${target}.${process.pid}`;
    mkdirSync(making, { recursive: true });
    try {
      const flags = ['--pack-destination', making, '--prefer-offline', '--loglevel=error'];
      const code = await npm(['pack', `${packageName}@${version}`, ...flags]);
      if (code !== 0) throw new Error(`Could not fetch ${packageName} ${version} (npm's exit code ${code}).`);
      const [tarball] = readdirSync(making).filter((name) => name.endsWith('.tgz'));
      await runProgram('tar', ['-xzf', tarball!, 'package/dist/browser'], { cwd: making });
      rmSync(join(making, tarball!));
      writeFileSync(join(making, 'done'), '');
      renameSync(making, target);
    } catch (error) {
      rmSync(making, { recursive: true, force: true });
      if (!existsSync(join(target, 'done'))) throw error;
    }
  }
  return join(target, 'package/dist/browser');
}
