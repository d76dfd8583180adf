import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root } from '../../../scripts/fetch-package.mjs';
import { runProgram } from '../../servers/run-program.ts';

/** The package with the built web UI of ADK. After a change of the version, check the UI in a browser. */
const packageName = '@google/adk-devtools';
const version = '2.0.0';

/**
 * Returns the folder of ADK's web UI. Downloads its package, without dependencies, if it is missing. The download has a temporary
 * name until it is complete, so an interrupted one leaves no broken folder.
 */
export async function fetchAdkUi(): Promise<string> {
  const target = join(root, '.tools', `adk-web@${version}`);
  if (!existsSync(join(target, 'done'))) {
    process.stderr.write(`thole: downloading ${packageName} ${version}\n`);
    const partial = `${target}.${process.pid}`;
    mkdirSync(partial, { recursive: true });
    try {
      const flags = ['--pack-destination', partial, '--prefer-offline', '--loglevel=error'];
      const code = await npm(['pack', `${packageName}@${version}`, ...flags]);
      if (code !== 0) throw new Error(`Cannot download ${packageName} ${version}: npm ended with exit code ${code}.`);
      const [tarball] = readdirSync(partial).filter((name) => name.endsWith('.tgz'));
      await runProgram('tar', ['-xzf', tarball!, 'package/dist/browser'], { cwd: partial });
      rmSync(join(partial, tarball!));
      writeFileSync(join(partial, 'done'), '');
      renameSync(partial, target);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      if (!existsSync(join(target, 'done'))) throw error;
    }
  }
  return join(target, 'package/dist/browser');
}
