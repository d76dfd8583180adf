/** The environment of this process without what would choose a model or a database, or is a key. */
export const withoutSettings: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(THOLE_(MODEL|DATA|SESSION_URL|MEMORY_DAYS)$|GEMINI_|GOOGLE_|OPENAI_|AZURE_)/.test(name),
  ),
);
