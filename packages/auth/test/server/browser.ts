/**
 * Opens the address of a sign-in as a browser does: keeps cookies, follows redirects, and submits the login and consent
 * forms of `oidc-provider`. Returns the address of the redirect back to the client.
 */
export async function signInAs(
  login: string,
  authUri: string,
  redirectUri: string,
  p: { refuses?: boolean } = {},
): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(authUri);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const page = await response.text();
    const location = response.headers.get('location');
    if (location === null) {
      if (response.status !== 200) throw new Error(`The authorization server answered ${response.status}: ${page}`);
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      if (!prompt || !action) throw new Error(`There is no form on the page: ${page}`);
      if (p.refuses) {
        url = new URL(/href="([^"]*\/abort)"/.exec(page)![1]!, url);
        form = undefined;
      } else {
        url = new URL(action, url);
        form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) });
      }
      continue;
    }
    url = new URL(location, url);
    form = undefined;
    if (url.href.startsWith(redirectUri)) return url.href;
  }
  throw new Error('The sign-in did not end.');
}
