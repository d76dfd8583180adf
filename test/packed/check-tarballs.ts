// `node check-tarballs.ts <tarball>…`: prints the problems that publint (with warnings) and arethetypeswrong find, as JSON: a
// list of texts for each tarball. One process for all packages, because loading the TypeScript of arethetypeswrong takes longer than a check.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** The profile "esm-only" of arethetypeswrong: CommonJS and TypeScript's oldest resolution are not supported. */
const ignored: readonly string[] = ['node10', 'node16-cjs'];

const found: Record<string, string[]> = {};
for (const tarball of process.argv.slice(2))
  found[tarball] = [...(await lint(tarball)), ...(await checkTypes(tarball))];
console.log(JSON.stringify(found));

async function lint(tarball: string): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: bytesOf(tarball).buffer }, strict: true });
  return messages.filter(({ type }) => type === 'error').map((message) => formatMessage(message, pkg) ?? message.code);
}

async function checkTypes(tarball: string): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(bytesOf(tarball)));
  if (!result.types) return ['It has no types.'];
  return result.problems
    .filter((problem) => !('resolutionKind' in problem && ignored.includes(problem.resolutionKind)))
    .map((problem) => JSON.stringify(problem));
}

/** Returns the bytes of a file in a separate buffer. The buffer of `readFileSync` may be a part of a larger one. */
function bytesOf(file: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(file));
}
