import { expect, it } from 'vitest';
import { codeOf, packageOf } from './imports.ts';
import { packages, sourcesOf } from './workspace.ts';

/** The command is not bundled, and the entry of the MCP server cannot do without its peer. */
const exceptions = ['cli', 'mcp'];

it('imports optional packages directly in try, as bundlers require', () => {
  const found = packages.flatMap(({ folder, manifest }) => {
    const optional = Object.keys(manifest.peerDependencies ?? {});
    if (optional.length === 0 || exceptions.includes(folder)) return [];
    return sourcesOf(folder).flatMap((file) =>
      [...codeOf(file).matchAll(/^(.*)\n.*(?:await|=>) import\('([^']+)'\)/gm)]
        .filter(([, before, name]) => optional.includes(packageOf(name!)) && !before!.endsWith('try {'))
        .map(([, , name]) => `${file}: ${name}`),
    );
  });
  expect(found).toEqual([]);
});
