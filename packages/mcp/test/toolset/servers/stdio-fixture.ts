import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const mode = process.argv[2];
if (mode === 'silent') process.stdin.resume();
else if (mode === 'noise') {
  for (let i = 0; i < 1_000; i++) console.log(`This is not a message ${i}.`);
  process.stdin.resume();
} else if (mode === 'flood') {
  process.stdin.resume();
  const write = (): void => void process.stdout.write('x'.repeat(1_000_000), write);
  write();
} else {
  console.error('The server is ready.\nIt has four tools.');
  serveStdio(() => {
    const server = new McpServer({ name: 'fixture', version: '1.0.0' });
    const text = (result: string): { content: [{ type: 'text'; text: string }] } => ({
      content: [{ type: 'text', text: result }],
    });
    server.registerTool('pid', {}, async () => text(String(process.pid)));
    server.registerTool('env', {}, async () => text(`${process.env['GIVEN']} ${process.env['NOT_GIVEN']}`));
    server.registerTool('die', {}, () => process.exit(1));
    server.registerTool('book', {}, async () => text('x'.repeat(3_000_000)));
    return server;
  });
}
