import { TholeError } from '@thole/core';
import { findRejectedSetting, valueAt, withoutValueAt } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import type { OptionalSettings } from '@thole/core/kit';

const OPTIONAL_SETTINGS: OptionalSettings = [
  ['generationConfig.thinkingConfig.thinkingLevel', /thinking[_ ]?level/i],
  ['generationConfig.thinkingConfig.thinkingBudget', /thinking[_ ]?budget|budget \d+ is invalid/i],
  ['generationConfig.thinkingConfig', /\bthinking|include[_ ]?thoughts/i],
  ['generationConfig.temperature', /\btemperature\b/i],
  ['generationConfig.topP', /\btop[_ ]?p\b/i],
  ['generationConfig.topK', /\btop[_ ]?k\b/i],
  ['generationConfig.seed', /\bseed\b/i],
  ['generationConfig.presencePenalty', /presence[_ ]?penalty|\bpenalty is not enabled/i],
  ['generationConfig.frequencyPenalty', /frequency[_ ]?penalty|\bpenalty is not enabled/i],
  ['generationConfig.logprobs', /\blogprobs\b/i],
  ['generationConfig.responseLogprobs', /response[_ ]?logprobs|\blogprobs\b/i],
  ['generationConfig.mediaResolution', /media[_ ]?resolution/i],
  ['toolConfig.includeServerSideToolInvocations', /server[_ ]?side[_ ]?tool[_ ]?invocations/i],
  ['labels', /\blabels\b/i],
  ['serviceTier', /service[_ ]?tier/i],
];

const UNSUPPORTED =
  /not (enabled|supported|available|allowed)|does not support|unsupported|unknown name|cannot find field/i;

/** Returns the path of the setting that Gemini does not support. Undefined for any other error. */
export function findGeminiSetting(error: unknown, body: JsonObject): string | undefined {
  return findRejectedSetting(error, body, { settings: OPTIONAL_SETTINGS, unsupported: UNSUPPORTED });
}

/** Returns an error that also names the function, for an error that only counts it (`tools[0].function_declarations[44] …`). */
export function withToolName(error: unknown, body: JsonObject): TholeError | undefined {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST')) return undefined;
  const [place, tool = '', index = ''] = /\btools\[(\d+)\]\.function_?declarations\[(\d+)\]/i.exec(error.message) ?? [];
  const name = valueAt(body, `tools.${tool}.functionDeclarations.${index}.name`);
  if (place === undefined || typeof name !== 'string') return undefined;
  const { message, details, status } = error;
  const advice = `${place} is the tool ${name}: change its parameters or leave it out.`;
  return new TholeError('MODEL_BAD_REQUEST', `${message} ${advice}`, { cause: error, details, status });
}

/** Returns the body without the settings at these paths. */
export function withoutSettings(body: JsonObject, paths: ReadonlySet<string>): JsonObject {
  return [...paths].reduce(withoutValueAt, body);
}
