/** OpenTelemetry's names of operators, by the beginning of the AI SDK's provider name. */
const OPERATORS: readonly (readonly [string, string])[] = [
  ['google.vertex', 'gcp.vertex_ai'],
  ['google', 'gcp.gemini'],
  ['vertex', 'gcp.vertex_ai'],
  ['azure', 'azure.ai.openai'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['bedrock', 'aws.bedrock'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
];

/** Returns the operator of a model for traces: OpenTelemetry's name, or the first word of the AI SDK's provider name. */
export function operatorOf(provider: string): string {
  const known = OPERATORS.find(([name]) => provider === name || provider.startsWith(`${name}.`));
  return known?.[1] ?? provider.split('.')[0]!;
}
