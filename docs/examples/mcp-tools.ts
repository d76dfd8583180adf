import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { McpToolset } from '@thole/mcp';
import { InMemoryRunner, LlmAgent } from 'thole';
import { z } from 'zod';
import { chooseModel } from './model.ts';

if (process.argv[2] === 'server') serveOrders();
else await askAgent();

/** The MCP server of this example. In your app, use a program or an address of another vendor instead. */
function serveOrders(): void {
  serveStdio(() => {
    const server = new McpServer({ name: 'orders', version: '1.0.0' });
    const description = 'Returns the status of an order.';
    const inputSchema = z.object({ orderId: z.string() });
    server.registerTool('order_status', { description, inputSchema }, async ({ orderId }) => ({
      content: [{ type: 'text', text: orderId === '1042' ? 'It is shipped.' : 'There is no such order.' }],
    }));
    return server;
  });
}

async function askAgent(): Promise<void> {
  const orders = new McpToolset({
    type: 'StdioConnectionParams',
    serverParams: { command: process.execPath, args: [...process.execArgv, import.meta.filename, 'server'] },
  });
  const clerk = new LlmAgent({ name: 'clerk', model: chooseModel(), tools: [orders] });
  const runner = new InMemoryRunner({ appName: 'shop', agent: clerk });
  const { text } = await runner.runToCompletion({ userId: 'ada', newMessage: 'Where is order 1042?' });
  console.log(text);
  await runner.close();
}
