import type { FrontView } from './schema.ts'

/** What a person sees at the address of the service; the policy of every answer lets no style in. */
export function frontPage({ tidemark, links }: FrontView): string {
  const items = [
    [links.openapi, 'The API as an OpenAPI 3.1 document'],
    [links.readyz, 'Readiness of the service, and warnings'],
    [links.version, 'The version'],
  ]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Tidemark</title>
<h1>Tidemark ${tidemark}</h1>
<p>This is the API of a monitoring service. There is no page to sign in here: programs sign in, and so does a console.</p>
<p>The first administrator is created with the set-up link that the service prints when it starts.</p>
<ul>
${items.map(([path, text]) => `<li><a href="${path}">${path}</a> ${text}</li>`).join('\n')}
</ul>
</html>
`
}
