import type { Json, ToolConfig } from '@thole/core';

/** Returns which functions may, must or must not be called. Undefined without such a setting. */
export function toToolChoice(config: ToolConfig | undefined): Json | undefined {
  const { mode, allowedFunctionNames = [] } = config?.functionCallingConfig ?? {};
  if (mode === 'NONE') return 'none';
  if (mode === 'ANY' && allowedFunctionNames.length === 1) return { type: 'function', name: allowedFunctionNames[0]! };
  const choice = mode === 'ANY' ? 'required' : 'auto';
  if (allowedFunctionNames.length === 0) return mode === undefined ? undefined : choice;
  const tools = allowedFunctionNames.map((name) => ({ type: 'function', name }));
  return { type: 'allowed_tools', mode: choice, tools };
}
