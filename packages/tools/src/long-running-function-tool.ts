import { FunctionTool } from './function-tool.ts';
import type { FunctionToolOptions } from './function-tool.ts';
import type { ParametersInput } from './read-schema-input.ts';

/** Options of `LongRunningFunctionTool`: those of `FunctionTool` without `isLongRunning`. */
export type LongRunningFunctionToolOptions<
  Parameters extends ParametersInput | undefined = undefined,
  Deps = unknown,
> = Omit<FunctionToolOptions<Parameters, Deps>, 'isLongRunning'>;

/**
 * A function whose answer arrives later. `execute` starts the work and returns a first note for the model (a ticket, a
 * status) or nothing. The event's `longRunningToolIds` contains the id of the call. The answer is a function response
 * with this id in a later message. The description instructs the model not to repeat a pending call. Throws the errors of
 * `FunctionTool`.
 */
export class LongRunningFunctionTool<
  Parameters extends ParametersInput | undefined = undefined,
  Deps = unknown,
> extends FunctionTool<Parameters, Deps> {
  constructor(options: LongRunningFunctionToolOptions<Parameters, Deps>) {
    super(toLongRunning(options));
  }
}

function toLongRunning<Parameters extends ParametersInput | undefined, Deps>(
  options: LongRunningFunctionToolOptions<Parameters, Deps>,
): FunctionToolOptions<Parameters, Deps> {
  // `FunctionTool` rejects options without a description.
  if (typeof options?.description !== 'string') return options;
  return { ...options, description: `${options.description}\n\n${NOTE}`, isLongRunning: true };
}

const NOTE = 'This takes a while: the result arrives later by itself. While a call is pending, do not repeat it.';
