// Measures the cost of importing the built packages, each in a new process without a compile cache.
import { execFileSync } from 'node:child_process';
import { root } from '../scripts/fetch-package.mjs';
import { Adk } from './support/adk.ts';
import { build } from './support/build.ts';
import { Figures } from './support/figures.ts';

const ourPackages = ['@thole/runner', '@thole/tools', '@thole/mem-services'];
const adkEntry = await Adk.fetchEntry();
const { NODE_OPTIONS: _options, NODE_COMPILE_CACHE: _cache, ...env } = process.env;
build();

const costs: { ours: number[]; adk: number[] } = { ours: [], adk: [] };
for (let sample = 0; sample < 20; sample++) {
  for (let i = 0; i < 3; i++) costs.ours.push(cpuOfImport(ourPackages));
  costs.adk.push(cpuOfImport([adkEntry]));
}

const figures = new Figures();
figures.compare(
  'import of runner, tools and mem-services (60 processes, 20 of adk)',
  { samples: costs.ours, unit: 'ms' },
  { samples: costs.adk, unit: 'ms', of: 'adk' },
  1 / 8,
);
figures.end();

/** Returns the CPU time of an import in milliseconds, without the start of Node. */
function cpuOfImport(specifiers: string[]): number {
  const program = `
    const begin = process.cpuUsage();
    await Promise.all(${JSON.stringify(specifiers)}.map((each) => import(each)));
    const { user, system } = process.cpuUsage(begin);
    console.log((user + system) / 1000);
    process.exit();`;
  const flags = ['--input-type=module', '--eval', program];
  return Number(
    execFileSync(process.execPath, flags, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}
