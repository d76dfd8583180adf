// companion.ts <folder> <step>: a dispatcher over files in a folder, in a separate process, which kills itself at a step.
import { flushCompileCache } from 'node:module';
import { runDispatcher } from './run-dispatcher.ts';

const [folder = '', killAt = ''] = process.argv.slice(2);
// A killed process does not save its compile cache for the next process.
flushCompileCache();
await runDispatcher(folder, killAt);
