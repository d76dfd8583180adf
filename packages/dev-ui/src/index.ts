export { devUi } from './dev-ui.ts';
export type { Ui } from './ui.ts';
