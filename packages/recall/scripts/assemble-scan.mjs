// node packages/recall/scripts/assemble-scan.mjs: writes src/vectors/scan-module.ts from scan.wat. A test compares the two.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import loadWabt from 'wabt';

const folder = join(import.meta.dirname, '../src/vectors');

/** Returns scan.wat as bytes of a WebAssembly module. */
export async function assembleScan() {
  const wabt = await loadWabt();
  const text = readFileSync(join(folder, 'scan.wat'), 'utf8');
  const module = wabt.parseWat('scan.wat', text, { simd: true });
  module.validate();
  return module.toBinary({ write_debug_names: false }).buffer;
}

if (process.argv[1] === import.meta.filename) {
  const base64 = Buffer.from(await assembleScan()).toString('base64');
  const lines = base64.match(/.{1,110}/g).map((line) => `  '${line}'`);
  const comment = '/** scan.wat, assembled by scripts/assemble-scan.mjs, as base64. */';
  writeFileSync(
    join(folder, 'scan-module.ts'),
    `${comment}\nexport const scanModuleBase64: string =\n${lines.join(' +\n')};\n`,
  );
}
