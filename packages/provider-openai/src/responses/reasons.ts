/**
 * Whether a model of OpenAI's thinks before it answers, by its name; undefined for a name that says nothing (a deployment, another
 * maker's). Models that don't refuse reasoning in their input, and to be asked for it. Prefixes of routers (`openai/…`) and of
 * fine-tuned models (`ft:…`) are looked through.
 */
export function reasons(model: string): boolean | undefined {
  const name = model.replace(/^.*\//, '').replace(/^ft:/, '');
  if (/^(gpt-3|gpt-4|chatgpt-|gpt-5-chat)/.test(name)) return false;
  return /^(o\d|gpt-([5-9]|\d\d)|codex-|computer-use-)/.test(name) || undefined;
}
