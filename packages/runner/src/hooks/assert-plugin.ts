import { TholeError } from '@thole/core';
import { didYouMean, invalidInput } from '@thole/core/kit';
import type { Plugin } from '@thole/core';

const HOOKS = {
  onUserMessageCallback: true,
  beforeRunCallback: true,
  onEventCallback: true,
  afterRunCallback: true,
  selectHistoryCallback: true,
  beforeAgentCallback: true,
  afterAgentCallback: true,
  beforeModelCallback: true,
  afterModelCallback: true,
  onModelErrorCallback: true,
  beforeToolCallback: true,
  afterToolCallback: true,
  onToolErrorCallback: true,
  onAgentErrorCallback: true,
  onRunErrorCallback: true,
  onInterruptCallback: true,
} satisfies Record<Exclude<keyof Plugin, 'name' | 'close'>, true>;
const NAMES = Object.keys(HOOKS);

/**
 * Throws `INVALID_INPUT` for a plugin without a name, a class instead of an instance, an unknown hook, or a hook
 * that is not a function.
 */
export function assertPlugin(plugin: Plugin): void {
  const given: unknown = plugin;
  if (typeof given === 'function')
    throw new TholeError('INVALID_INPUT', `Plugin ${given.name} is a class. Pass an instance: new ${given.name}(…).`);
  if (typeof plugin?.name !== 'string' || plugin.name === '')
    throw invalidInput("A plugin's name", 'a string that is not empty', plugin?.name);
  for (const member of membersOf(plugin)) {
    const read = (): unknown => plugin[member as keyof typeof HOOKS];
    if (!Object.hasOwn(HOOKS, member)) {
      const hint = didYouMean(member, NAMES);
      if (/callback$/i.test(member) || (hint !== '' && typeof read() === 'function'))
        throw new TholeError('INVALID_INPUT', `Plugin ${plugin.name} has ${member}, which is not a hook.${hint}`);
      continue;
    }
    const hook = read();
    if (hook !== undefined && hook !== null && typeof hook !== 'function')
      throw invalidInput(`Plugin ${plugin.name}: ${member}`, 'a function', hook);
  }
}

/** Returns the names of own and inherited members: the hooks of a class are on its prototype. */
function membersOf(plugin: object): Set<string> {
  const names = new Set<string>();
  for (let each: unknown = plugin; each && each !== Object.prototype; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each)) names.add(name);
  return names;
}
