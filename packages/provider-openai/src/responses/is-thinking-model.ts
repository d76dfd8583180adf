/**
 * True if the name is that of an OpenAI model that thinks before it answers. Undefined for unknown names (a deployment,
 * another vendor's model). Models that do not think reject reasoning in their input and requests for it. Prefixes of routers
 * (`openai/…`) and of fine-tuned models (`ft:…`) are ignored.
 */
export function isThinkingModel(model: string): boolean | undefined {
  const name = model.replace(/^.*\//, '').replace(/^ft:/, '');
  if (/^(gpt-3|gpt-4|chatgpt-|gpt-5-chat)/.test(name)) return false;
  return /^(o\d|gpt-([5-9]|\d\d)|codex-|computer-use-)/.test(name) || undefined;
}
