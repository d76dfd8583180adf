/** The environment of this process without keys and variables that choose a model or a database. */
export const withoutSettings: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(THOLE_(MODEL|DATA|(SESSION|MEMORY|ARTIFACT)_URL|MEMORY_DAYS)$|GEMINI_|GOOGLE_|OPENAI_|AZURE_|ANTHROPIC_)/.test(
        name,
      ),
  ),
);
