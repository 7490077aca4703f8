import { randomBytes } from 'node:crypto'

import { DeployFailure } from './wrangler.ts'

/** The name of a new Worker is known everywhere after some time. */
const READY_WITHIN_MS = 120_000
const PAUSE_MS = 2_000
const REQUEST_MAX_MS = 30_000
const UNAUTHENTICATED = 401

/** Waits until the service of a Worker is ready.
 * @throws {DeployFailure} with its last answer */
export async function requireReady(url: string, worker: string, withinMs = READY_WITHIN_MS): Promise<void> {
  const until = performance.now() + withinMs
  for (;;) {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(REQUEST_MAX_MS) }).catch(
      (error: unknown) => error as Error,
    )
    if (answer instanceof Response && answer.ok) return
    const text = answer instanceof Response ? `${answer.status} ${await answer.text()}` : answer.message
    if (performance.now() > until)
      throw new DeployFailure(`${url}/readyz is not ready: ${text}. The log: npx wrangler tail ${worker}`)
    await Bun.sleep(PAUSE_MS)
  }
}

/** Signs in once. Without credentials it uses a name that does not exist: the service hashes the password in any case, and a platform
 * that ends the request because of its CPU time does not answer 401.
 * @throws {DeployFailure} where the service gives another answer, or none in time */
export async function signIn(
  url: string,
  credentials: { readonly username: string; readonly password: string } | null,
  withinMs = REQUEST_MAX_MS,
): Promise<string> {
  const ask = (path: string, init: RequestInit) =>
    fetch(url + path, { ...init, signal: AbortSignal.timeout(withinMs) }).catch((error: unknown) => {
      throw new DeployFailure(`${url}${path} does not answer: ${String(error)}`)
    })
  const body = credentials ?? {
    // A name of its own each time: the service refuses a name after ten failed logins.
    username: `deployment-check-${randomBytes(8).toString('hex')}`,
    password: randomBytes(16).toString('base64url'),
  }
  const response = await ask('/session/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (credentials && response.ok) {
    const { sessionId } = (await response.json()) as { readonly sessionId: string }
    await ask('/session/logout', { headers: { 'x-session-id': sessionId } })
    return `${credentials.username} can sign in`
  }
  if (!credentials && response.status === UNAUTHENTICATED)
    return 'an unknown user cannot sign in, as it should be'
  throw new DeployFailure(
    `${body.username} cannot sign in: ${response.status} ${(await response.text()).slice(0, 500)}`,
  )
}
