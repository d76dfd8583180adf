import type { Agent, AgentCallback, CallbackContext, JsonObject, Plugin, ReadonlyContext } from '@thole/core';
import type { Tool, ToolContext } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { LlmAgent, Runner } from '../../src/index.ts';
import type { AfterModelCallback, BeforeModelCallback, BeforeToolCallback, Instruction } from '../../src/index.ts';

interface Deps {
  log: string[];
}

describe('the type of deps', () => {
  it('can be declared in callbacks, instructions and hooks, as in tools', async () => {
    const beforeAgent: AgentCallback<Deps> = ({ deps }) => void deps.log.push('agent');
    const beforeModel: BeforeModelCallback<Deps> = ({ context }) => void context.deps.log.push('model');
    const afterModel: AfterModelCallback<Deps> = async ({ context }) => void context.deps.log.push('answer');
    const beforeTool: BeforeToolCallback<Deps> = ({ context, tool }) => void context.deps.log.push(tool.name);
    const instruction: Instruction<Deps> = ({ deps }) => `You have done ${deps.log.length} things.`;
    const plugin: Plugin = {
      name: 'hooks',
      beforeAgentCallback(p: { agent: Agent; callbackContext: CallbackContext<Deps> }) {
        p.callbackContext.deps.log.push('hook');
      },
      beforeToolCallback: (p: { tool: Tool; toolArgs: JsonObject; toolContext: ToolContext<Deps> }) =>
        void p.toolContext.deps.log.push('tool hook'),
    };
    const look = new FunctionTool({
      name: 'look',
      description: 'Looks.',
      execute: (_, { deps }: ToolContext<Deps>) => deps.log.length,
    });
    const model = new ScriptedLlm(calls('look'), says('Done.'));
    const agent = new LlmAgent({
      ...{ name: 'root', model, instruction, tools: [look] },
      beforeAgentCallback: [beforeAgent, (context: CallbackContext<Deps>) => void context.deps.log.push('list')],
      beforeModelCallback: beforeModel,
      afterModelCallback: [afterModel],
      beforeToolCallback: beforeTool,
    });
    const sessionService = new InMemorySessionService();
    const runner = new Runner({ appName: 'app', agent, plugins: [plugin], sessionService });
    const deps: Deps = { log: [] };
    await runner.runToCompletion({ userId: 'ada', newMessage: 'Go.', deps });
    await runner.close();
    expect(deps.log.join()).toBe('hook,agent,list,model,answer,tool hook,look,model,answer');
  });

  it('is unknown in callbacks without annotations, and a wrong parameter or result is an error', () => {
    const model = new ScriptedLlm();
    void new LlmAgent({
      name: 'root',
      model,
      instruction: ({ deps }) => (expectTypeOf(deps).toBeUnknown(), ''),
      beforeAgentCallback: ({ deps }) => void expectTypeOf(deps).toBeUnknown(),
      onToolErrorCallback: ({ context, error }) => {
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        expectTypeOf(error).toEqualTypeOf<Error>();
      },
    });
    expectTypeOf<(context: ReadonlyContext<Deps>) => string>().toExtend<Instruction>();
    expectTypeOf<(p: { tool: number }) => undefined>().not.toExtend<BeforeToolCallback>();
    expectTypeOf<() => number>().not.toExtend<BeforeToolCallback>();
  });
});
