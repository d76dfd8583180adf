import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPackage } from '../../scripts/fetch-package.mjs';

/** For each platform: the package with the executable, and its path in the package. Versions are pinned. */
const runtimes = {
  bun: {
    version: '1.4.5',
    executable: 'bin/bun',
    packages: {
      'linux-x64': '@oven/bun-linux-x64',
      'linux-arm64': '@oven/bun-linux-aarch64',
      'darwin-arm64': '@oven/bun-darwin-aarch64',
      'darwin-x64': '@oven/bun-darwin-x64',
    },
  },
  deno: {
    version: '2.9.6',
    executable: 'deno',
    packages: {
      'linux-x64': '@deno/linux-x64-glibc',
      'linux-arm64': '@deno/linux-arm64-glibc',
      'darwin-arm64': '@deno/darwin-arm64',
      'darwin-x64': '@deno/darwin-x64',
    },
  },
  workerd: {
    version: '1.20261117.1',
    executable: 'bin/workerd',
    packages: {
      'linux-x64': '@cloudflare/workerd-linux-64',
      'linux-arm64': '@cloudflare/workerd-linux-arm64',
      'darwin-arm64': '@cloudflare/workerd-darwin-arm64',
      'darwin-x64': '@cloudflare/workerd-darwin-64',
    },
  },
} satisfies Record<string, { version: string; executable: string; packages: Record<string, string> }>;

/** Returns the path of a runtime, which is downloaded into `.tools`. If its package is not available, skips the test and prints the reason. */
export async function fetchRuntime(name: keyof typeof runtimes, skip: (reason: string) => never): Promise<string> {
  const { packages, version, executable: path } = runtimes[name];
  const packageName = (packages as Record<string, string>)[`${process.platform}-${process.arch}`];
  if (packageName === undefined)
    return skipWithWarning(`${name} ${version} has no package for ${process.platform}-${process.arch}.`, skip);
  const fetched = await fetchPackage(packageName, version).catch((error: Error) => error.message);
  if (!existsSync(join(fetched, path))) return skipWithWarning(`${name} ${version} is not available: ${fetched}`, skip);
  return join(fetched, path);
}

/** Skips a test and prints the reason. */
export function skipWithWarning(reason: string, skip: (reason: string) => never): never {
  console.warn(`SKIPPED: ${reason}`);
  return skip(reason);
}
