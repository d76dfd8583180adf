// `prepack` of every published package: fails when built files are missing, because the tarball would have no code.
// Arguments are further files that the build must have written.
import { existsSync, readFileSync } from 'node:fs';

const { name, bin = {}, publishConfig } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.values(publishConfig.exports).flatMap((entry) =>
  typeof entry === 'string' ? [entry] : Object.values(entry),
);
const built = [...entries, ...Object.values(bin), ...process.argv.slice(2)];
const missing = built.filter((file) => !existsSync(file));

if (!process.env.npm_config_user_agent?.startsWith('pnpm/')) {
  fail('pack it with pnpm: other package managers keep "workspace:" ranges, and such a package cannot be installed.');
}
if (missing.length > 0) {
  fail(
    `it is not built. Missing: ${missing.join(', ')}. Run "node scripts/run.mjs tarballs" in the root, which builds first.`,
  );
}

function fail(reason) {
  console.error(`Cannot pack ${name}: ${reason}`);
  process.exit(1);
}
