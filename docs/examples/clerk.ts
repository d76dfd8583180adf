import { FunctionTool, LlmAgent, type Tool } from 'thole';
import { z } from 'zod';
import { chooseModel } from './model.ts';

const orders = new Map([
  ['1042', 'shipped'],
  ['1043', 'in preparation'],
]);

const orderStatus = new FunctionTool({
  name: 'order_status',
  description: 'Returns the status of an order. Call it before you answer a question about an order.',
  parameters: z.object({ orderId: z.string().describe('The number of the order, such as 1042') }),
  execute: ({ orderId }) => ({ orderId, status: orders.get(orderId) ?? 'unknown' }),
});

/** Creates the agent of the shop. */
export function createClerk(tools: Tool[] = []): LlmAgent {
  return new LlmAgent({
    name: 'clerk',
    model: chooseModel(),
    instruction: 'You work in a shoe shop. Answer in one or two sentences.',
    tools: [orderStatus, ...tools],
  });
}
