/**
 * Returns a module without imports whose agent answers every message with a JavaScript expression. `said` is the text
 * of the message.
 */
export function agentText(name: string, expression: string, before = ''): string {
  return `${before}
export const rootAgent = {
  name: '${name}',
  async *runAsync(context: any): AsyncGenerator<unknown, void> {
    const said = context.userContent?.parts?.[0]?.text ?? '';
    yield {
      id: context.runtime.newId('event'),
      invocationId: context.invocationId,
      author: '${name}',
      timestamp: context.runtime.now(),
      content: { role: 'model', parts: [{ text: String(${expression}) }] },
      actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
    };
  },
};
`;
}
