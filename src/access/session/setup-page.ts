import { base64url } from '../../lib/text.ts'
import type { Secrets } from '../../ports/secrets.ts'

/** The form behind the one-time set-up link. The token stays in the address bar and goes back in the body. */
export function setupPage(secrets: Secrets): Response {
  const nonce = base64url(secrets.random(16))
  return new Response(page(nonce), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
  })
}

function page(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Set up Tidemark</title>
<style nonce="${nonce}">
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 24rem; margin: 4rem auto; padding: 0 1rem }
  label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit }
  label { margin-top: 1rem } input, button { padding: .5rem } button { margin-top: 1.5rem }
</style>
<h1>Welcome to Tidemark</h1>
<form>
  <label for="username">Name of the administrator</label>
  <input id="username" value="admin" autocomplete="username" required>
  <label for="password">Password, at least 8 characters</label>
  <input id="password" type="password" minlength="8" autocomplete="new-password" required>
  <button>Create the administrator</button>
</form>
<p role="status"></p>
<script nonce="${nonce}">
  const form = document.querySelector('form'), status = document.querySelector('[role=status]')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const token = new URLSearchParams(location.search).get('token')
    const body = JSON.stringify({ token, username: form.username.value, password: form.password.value })
    const answer = await fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    if (answer.ok) form.hidden = true
    const problem = answer.ok ? null : await answer.json()
    const why = problem?.errors.map(({ message }) => 'It ' + message + '.') ?? []
    status.textContent = problem ? [problem.detail, ...why].join(' ') : 'Done. Programs can sign in with this name and password now.'
  })
</script>
</html>
`
}
