import { library } from '../../tsup.shared.ts';

export default library(
  'src/facts/index.ts',
  'src/consolidate/index.ts',
  'src/ingest/index.ts',
  'src/profile/index.ts',
  'src/window/index.ts',
  'src/commands/index.ts',
  'src/improve/index.ts',
  'src/privacy/index.ts',
);
