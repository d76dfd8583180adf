import { library } from '../../tsup.shared.ts';

export default library('src/http/index.ts', 'src/simulation/index.ts');
