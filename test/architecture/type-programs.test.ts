import { describe, expect, it } from 'vitest';
import { filesBelow, read } from './workspace.ts';

interface Config {
  extends: string;
  compilerOptions: Record<string, unknown>;
  include: string[];
}

const configs = ['packages', 'apps'].flatMap(filesBelow).filter((file) => /\/tsconfig[^/]*\.json$/.test(file));
const ofPackages = configs.filter((file) => /^packages\/[^/]+\/tsconfig\.json$/.test(file));
const ofApps = configs.filter((file) => /^apps\/[^/]+\/tsconfig\.json$/.test(file));

// `scripts/check.mjs` checks all packages in one program and all apps in another: no package or app may have other rules.
describe('scripts/check.mjs', () => {
  it('checks packages by the rules of each tsconfig.json', () => {
    const program = configOf('tsconfig.packages.json');
    const { compilerOptions, include } = rulesOf(program);
    expect(ofPackages.length).toBeGreaterThan(20);
    for (const file of ofPackages) {
      const config = configOf(file);
      expect(config, file).toEqual({ extends: '../../tsconfig.base.json', compilerOptions, include: config.include });
      expect(include, file).toEqual(expect.arrayContaining(config.include.map((each) => `packages/*/${each}`)));
    }
  });

  it('checks apps by the rules of each tsconfig.json', () => {
    const { compilerOptions, include } = rulesOf(configOf('tsconfig.json'));
    expect(ofApps.length).toBeGreaterThan(2);
    for (const file of ofApps) {
      const config = configOf(file);
      expect(config, file).toEqual({ extends: '../../tsconfig.base.json', compilerOptions, include: config.include });
      expect(include, file).toEqual(expect.arrayContaining(config.include.map((each) => `apps/*/${each}`)));
    }
  });

  it('checks every page by itself, and leaves only builds out', () => {
    const others = configs.filter((file) => ![...ofPackages, ...ofApps].includes(file));
    const known = /^(?:packages|apps)\/[^/]+\/page\/tsconfig\.json$|^packages\/[^/]+\/tsconfig\.build\.json$/;
    expect(others.filter((file) => !known.test(file))).toEqual([]);
  });

  it('builds without a second check of the types', () => {
    const builds = configs.filter((file) => file.endsWith('/tsconfig.build.json'));
    const options = { rootDir: 'src', outDir: 'dist', emitDeclarationOnly: true, noCheck: true };
    const rules = { extends: '../../tsconfig.base.json', compilerOptions: options, include: ['src'] };
    expect(builds.length).toBe(ofPackages.length);
    for (const file of builds) expect(configOf(file), file).toEqual(rules);
  });
});

function configOf(file: string): Config {
  return JSON.parse(read(file)) as Config;
}

/** Returns a configuration without the options that only make the compiler faster. */
function rulesOf({ compilerOptions, ...rest }: Config): Config {
  const faster = ['incremental', 'tsBuildInfoFile'];
  const rules = Object.entries(compilerOptions).filter(([name]) => !faster.includes(name));
  return { ...rest, compilerOptions: Object.fromEntries(rules) };
}
