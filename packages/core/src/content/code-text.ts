import type { Part } from './content.ts';

/** Returns code that a provider ran, or the result of such code, as a fenced block for another provider. Undefined for other parts. */
export function codeText({ executableCode: code, codeExecutionResult: result }: Part): string | undefined {
  if (code) return `\`\`\`${code.language?.toLowerCase() ?? ''}\n${code.code}\n\`\`\``;
  return result && `\`\`\`\n${result.output ?? result.outcome ?? ''}\n\`\`\``;
}
