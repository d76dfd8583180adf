import { library } from '../../tsup.shared.ts';

export default library('src/file/index.ts');
