/** The HTML that is served if the page was not built. */
export const notBuilt: string = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>The page is not built</title>
<body style="max-width: 60ch; margin: 15vh auto; padding: 0 16px; font: 16px/1.5 system-ui, sans-serif">
<h1 style="font-size: 20px">The page is not built</h1>
<p>The server and its API are running. To build the page, run this command in the checkout, then reload this address:</p>
<pre style="font: 14px/1.5 ui-monospace, monospace">pnpm --filter @thole/dev-ui build</pre>
</body>
</html>
`;
