import { library } from '../../tsup.shared.ts';
import { inlineLua } from './inline-lua.ts';

export default { ...library(), esbuildPlugins: [inlineLua] };
