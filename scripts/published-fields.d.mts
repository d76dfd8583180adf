export function publishedFields(
  folder: string,
  keywords?: readonly string[],
): {
  manifest: {
    keywords: string[];
    homepage: string;
    bugs: string;
    repository: { type: 'git'; url: string; directory: string };
  };
  scripts: { prepack: string };
};
