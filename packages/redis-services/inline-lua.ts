import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Build {
  onLoad(options: { filter: RegExp }, load: () => { contents: string; loader: 'js' }): void;
}

/** An esbuild plugin for the build of this package: the published package contains the texts of the Lua files and reads no files. */
export const inlineLua: { name: string; setup(build: Build): void } = {
  name: 'inline-lua',
  setup(build) {
    build.onLoad({ filter: /[\\/]read-lua-file\.ts$/ }, () => ({ contents: createLuaModule(), loader: 'js' }));
  },
};

/** Returns the code that replaces `src/client/read-lua-file.ts`: the texts of all Lua files. */
export function createLuaModule(): string {
  const src = join(import.meta.dirname, 'src');
  const texts = globSync('**/*.lua', { cwd: src })
    .sort()
    .map((file) => [file.replaceAll('\\', '/').slice(0, -'.lua'.length), readFileSync(join(src, file), 'utf8')]);
  return `const texts = ${JSON.stringify(Object.fromEntries(texts))};\nexport const readLuaFile = (name) => texts[name];\n`;
}
