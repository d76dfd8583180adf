// pnpm run new <name> "<description>" [@thole/… that it needs]: the skeleton of a package; what exists is left alone.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [name, description, ...needs] = process.argv.slice(2);
if (!/^[a-z][a-z0-9-]*$/.test(name ?? '') || !description) {
  console.error('usage: pnpm run new <name> "<what it is, in a line>" [core recall …]');
  process.exit(2);
}
const root = join(import.meta.dirname, '..');
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const built = { types: './dist/index.d.ts', default: './dist/index.js' };
const manifest = './package.json';

add('package.json', {
  name: `@thole/${name}`,
  version: '0.1.0',
  description,
  license: 'Apache-2.0',
  files: ['dist'],
  type: 'module',
  sideEffects: false,
  exports: { '.': { '@thole/source': './src/index.ts', ...built }, './package.json': manifest },
  publishConfig: { access: 'public', exports: { '.': built, './package.json': manifest } },
  scripts: {
    build: 'tsup && tsc -p tsconfig.build.json',
    check: 'tsc -p tsconfig.json',
    test: `vitest run --root ../.. packages/${name}`,
  },
  dependencies: Object.fromEntries(needs.sort().map((need) => [`@thole/${need}`, 'workspace:^'])),
  engines,
});
add('tsconfig.json', {
  extends: '../../tsconfig.base.json',
  compilerOptions: { noEmit: true },
  include: ['src', 'test', 'bench'],
});
add('tsconfig.build.json', {
  extends: '../../tsconfig.base.json',
  compilerOptions: { rootDir: 'src', outDir: 'dist', emitDeclarationOnly: true },
  include: ['src'],
});
add('tsup.config.ts', "import { library } from '../../tsup.shared.ts';\n\nexport default library();\n");
add('src/index.ts', 'export {};\n');
spawnSync(`oxfmt packages/${name}`, { cwd: root, stdio: 'inherit', shell: true });
console.log(`packages/${name}: now run \`pnpm install\``);

function add(file, content) {
  const path = join(root, 'packages', name, file);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
}
