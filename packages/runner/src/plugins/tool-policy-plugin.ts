import { TholeError } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { JsonObject, Plugin, Tool, ToolContext } from '@thole/core';
import { confirmationHint } from '../flow/interrupt-request.ts';
import type { HookParams } from '../hooks/call-hooks.ts';
import { SET_MODEL_RESPONSE } from '../request/set-model-response-tool.ts';

/** `allow` runs the call. `deny` returns an error to the model. `ask` requests a confirmation from a person. */
export type ToolDecision = 'allow' | 'deny' | 'ask';

/** A rule for calls of tools. */
export interface ToolPolicyRule {
  /** Name of the tool, or several names. Default: all tools. */
  tool?: string | readonly string[] | undefined;
  /** Returns true if the rule applies to these arguments. Default: always. */
  when?: ((args: JsonObject, toolContext: ToolContext) => boolean | Promise<boolean>) | undefined;
  decision: ToolDecision;
  /** Text for the model (`deny`) or for the person who decides (`ask`). Default: a standard text. */
  message?: string | undefined;
}

/** Options of `ToolPolicyPlugin`. */
export interface ToolPolicyPluginOptions {
  /** The first rule that applies decides. */
  rules: readonly ToolPolicyRule[];
  /** Decision if no rule applies. Default: `allow`. */
  default?: ToolDecision | undefined;
  /** Default: `tool_policy`. */
  name?: string | undefined;
}

const optionList = optionNames<ToolPolicyPluginOptions>({ rules: true, default: true, name: true });
const ruleNames = optionNames<ToolPolicyRule>({ tool: true, when: true, decision: true, message: true });
const decisions: readonly unknown[] = ['allow', 'deny', 'ask'];

/**
 * Allows or denies each call of a tool, or requests a confirmation, by tool and arguments. The rules are checked again after an
 * approval, so a rule can still deny an approved call. A typed answer (`set_model_response`) is allowed unless a rule names it. The
 * constructor throws `INVALID_INPUT` for wrong options.
 */
export class ToolPolicyPlugin implements Plugin {
  readonly name: string;
  readonly #rules: readonly ToolPolicyRule[];
  readonly #default: ToolDecision;

  constructor(options: ToolPolicyPluginOptions) {
    rejectUnknownOptions(options, optionList, 'ToolPolicyPlugin');
    if (!Array.isArray(options.rules)) throw invalidInput('rules', 'a list of rules', options.rules);
    for (const [i, rule] of options.rules.entries()) {
      rejectUnknownOptions(rule, ruleNames, `rules[${i}]`);
      assertTool(`rules[${i}].tool`, rule.tool);
      assertDecision(`rules[${i}].decision`, rule.decision);
      if (rule.when !== undefined && typeof rule.when !== 'function')
        throw invalidInput(`rules[${i}].when`, 'a function', rule.when);
    }
    if (options.default !== undefined) assertDecision('default', options.default);
    this.name = options.name ?? 'tool_policy';
    this.#rules = [...options.rules];
    this.#default = options.default ?? 'allow';
  }

  async beforeToolCallback({
    tool,
    toolArgs,
    toolContext,
  }: HookParams<'beforeToolCallback'>): Promise<JsonObject | undefined> {
    const { decision, message } = await this.#ruleFor(tool, toolArgs, toolContext);
    if (decision === 'deny') return { error: message ?? `Calls of ${tool.name} are not allowed.` };
    if (decision === 'ask') toolContext.requestConfirmation({ hint: message ?? confirmationHint(tool.name) });
    return undefined;
  }

  async #ruleFor(
    tool: Tool,
    args: JsonObject,
    toolContext: ToolContext,
  ): Promise<Pick<ToolPolicyRule, 'decision' | 'message'>> {
    const isAnswer = tool.name === SET_MODEL_RESPONSE;
    for (const rule of this.#rules) {
      const names = typeof rule.tool === 'string' ? [rule.tool] : rule.tool;
      if (names ? !names.includes(tool.name) : isAnswer) continue;
      if (!rule.when || (await rule.when(args, toolContext))) return rule;
    }
    return { decision: isAnswer ? 'allow' : this.#default };
  }
}

function assertTool(name: string, tool: unknown): void {
  const isName = (value: unknown): boolean => typeof value === 'string';
  if (tool === undefined || isName(tool) || (Array.isArray(tool) && tool.every(isName))) return;
  throw invalidInput(name, 'a tool name or a list of tool names', tool);
}

function assertDecision(name: string, decision: unknown): void {
  if (decisions.includes(decision)) return;
  throw new TholeError('INVALID_INPUT', `${name} must be 'allow', 'deny' or 'ask'.`);
}
