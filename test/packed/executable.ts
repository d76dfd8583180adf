import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPackage } from '../../scripts/fetch-package.mjs';

/** By platform: the package that holds the executable, and where in it. Pinned; look before changing one. */
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

/** The runtime's executable, fetched below `.tools`; where its package cannot be had, the test is skipped aloud. */
export async function executable(name: keyof typeof runtimes, skip: (reason: string) => never): Promise<string> {
  const { packages, version, executable: path } = runtimes[name];
  const packageName = (packages as Record<string, string>)[`${process.platform}-${process.arch}`];
  if (packageName === undefined)
    return skipAloud(`${name} ${version} has no package for ${process.platform}-${process.arch}.`, skip);
  const fetched = await fetchPackage(packageName, version).catch((error: Error) => error.message);
  if (!existsSync(join(fetched, path))) return skipAloud(`${name} ${version} is not to be had: ${fetched}`, skip);
  return join(fetched, path);
}

/** Skips a test and says why. */
export function skipAloud(reason: string, skip: (reason: string) => never): never {
  console.warn(`SKIPPED: ${reason}`);
  return skip(reason);
}
