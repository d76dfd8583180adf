// `node check-types.ts <folder of a TypeScript before 7> <tsconfig.json>`: prints the errors in the project's files and in the
// declarations of our packages, as JSON. `tsc` without `skipLibCheck` would check the declarations of all other libraries as well.
import { createRequire } from 'node:module';
import type TypeScript from 'typescript-5';

const [folder, file] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(folder!) as typeof TypeScript;
const stop = ({ messageText }: TypeScript.Diagnostic): never => {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
};
const config = ts.getParsedCommandLineOfConfigFile(file!, undefined, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: stop,
})!;
const program = ts.createProgram(config.fileNames, config.options);
const checked = program.getSourceFiles().filter((each) => isOurs(each.fileName));
const diagnostics = [
  ...config.errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...checked.flatMap((each) => [...program.getSyntacticDiagnostics(each), ...program.getSemanticDiagnostics(each)]),
];
const host = { getCurrentDirectory: () => process.cwd(), getCanonicalFileName: String, getNewLine: () => '\n' };
console.log(
  JSON.stringify({ files: checked.length, errors: diagnostics.map((each) => ts.formatDiagnostic(each, host)) }),
);

/** False within an installed package that is not one of ours. */
function isOurs(path: string): boolean {
  const [, name] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return name === undefined || /^(@thole\/|thole$)/.test(name);
}
