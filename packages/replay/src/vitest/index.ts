export { toReplay } from './to-replay.ts';
