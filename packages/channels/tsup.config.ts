import { library } from '../../tsup.shared.ts';

export default library(
  'src/terminal/index.ts',
  'src/http/index.ts',
  'src/telegram/index.ts',
  'src/whatsapp/index.ts',
  'src/sql/index.ts',
  'src/testing/index.ts',
);
