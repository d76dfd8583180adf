// The fields of a published package that are the same for all packages except for its folder.

const REPOSITORY = 'https://github.com/thole-dev/thole';
const KEYWORDS = ['agent', 'agents', 'ai', 'llm', 'adk', 'thole'];

/** Returns the fields of `packages/<folder>/package.json` that npm shows. `keywords` are added to those of every package. */
export function publishedFields(folder, keywords = []) {
  return {
    manifest: {
      keywords: [...new Set([...KEYWORDS, ...keywords])],
      homepage: `${REPOSITORY}/tree/main/packages/${folder}#readme`,
      bugs: `${REPOSITORY}/issues`,
      repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: `packages/${folder}` },
    },
    scripts: { prepack: 'node ../../scripts/require-build.mjs' },
  };
}
