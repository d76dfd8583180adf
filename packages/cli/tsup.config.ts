import { library } from '../../tsup.shared.ts';

export default library('src/main.ts', 'src/terminal/index.ts');
