import { signal } from '@preact/signals'

import { API_BASE, call, jsonOf, useCredentials } from './client.ts'
import type { Answer } from './client.ts'
import { asFailure, Failure, failureOf } from './failure.ts'

/** The access token is renewed this long before its end. */
const RENEWAL_MS = 60_000
const RENEWAL_LOCK = 'tidemark-session'

export type User = Answer<'/users/{id}'>
export type SignIn = {
  readonly username: string
  readonly password: string
  readonly code?: string
}

/** `starting` until the cookie of an earlier visit was tried; `over` when a session ended while a page is open. */
export type SessionStatus = 'starting' | 'out' | 'in' | 'over'
export const sessionStatus = signal<SessionStatus>('starting')
/** The user of the page. Stays while the session is over, so that the page stays as it was. */
export const user = signal<User | null>(null)
/** The action that the user owes before anything else: set up MFA, or change the password. */
export const owedAction = signal<'mfa' | 'password' | null>(null)

/** Whether a user has signed in, be it that the session has ended since. */
export const isSignedIn = (): boolean => sessionStatus.value === 'in' || sessionStatus.value === 'over'

type Access = { readonly token: string; readonly endsAt: number; readonly refresh: string }
let access: Access | null = null
let renewal: Promise<boolean> | null = null
/** Requests that wait for the user to sign in again. */
let waiting: (() => void)[] = []

useCredentials({
  async token() {
    if (access !== null && access.endsAt - Date.now() < RENEWAL_MS) await renew()
    return access?.token ?? null
  },
  async renew() {
    if (await renew()) return true
    if (!isSignedIn()) return false
    sessionStatus.value = 'over'
    await new Promise<void>((resolve) => waiting.push(resolve))
    return true
  },
})

/** Tries the cookie of an earlier visit. Called once, before the first screen. */
export async function startSession(): Promise<void> {
  try {
    if (await renew()) return await enter()
  } catch (error) {
    if (asFailure(error).status === 0) throw error
  }
  sessionStatus.value = 'out'
}

/** Signs in with a password, and a code where MFA is active.
 * @throws {Failure} with code `mfa_code_required` when a code is missing */
export async function signIn(form: SignIn): Promise<void> {
  const answer = await post('/session/login', { ...form })
  owedAction.value = (answer['owed'] as 'mfa' | 'password' | null) ?? null
  keep(answer)
  await enter()
}

/** Ends this session, or all sessions of the user, on the service and in this page. */
export async function signOut(everywhere = false): Promise<void> {
  await call('post', '/session/logout', everywhere ? { query: { everywhere: true } } : {}).catch(
    () => undefined,
  )
  access = null
  location.assign(new URL('login', document.baseURI))
}

/** Reads the user again, after a change of the account. */
export async function readUser(): Promise<void> {
  user.value = await call('get', '/users/{id}', { path: { id: 1 } })
}

async function enter(): Promise<void> {
  if (owedAction.value === null) await readUser()
  sessionStatus.value = 'in'
  for (const go of waiting) go()
  waiting = []
}

/** One renewal at a time, over all tabs of the browser: each renewal replaces the cookie. */
function renew(): Promise<boolean> {
  renewal ??= navigator.locks
    .request(RENEWAL_LOCK, async () => {
      const answer = await post('/session/refresh', {
        refreshToken: access?.refresh ?? sessionStorage.getItem('dev') ?? '-',
      })
      keep(answer)
      return true
    })
    .catch((error: unknown) => {
      if (error instanceof Failure && error.status >= 400 && error.status < 500) {
        access = null
        return false
      }
      throw error
    })
    .finally(() => {
      renewal = null
    })
  return renewal
}

function keep(answer: Readonly<Record<string, unknown>>): void {
  sessionStorage.setItem('dev', answer['refreshToken'] as string)
  access = {
    token: answer['accessToken'] as string,
    refresh: answer['refreshToken'] as string,
    endsAt: Date.now() + (answer['expiresIn'] as number) * 1000,
  }
}

/** Posts to a route of the session, which takes the cookie and no access token. */
async function post(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(API_BASE + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw Failure.unreachable(error)
  })
  if (!answer.ok) throw await failureOf(answer)
  return (await jsonOf(answer)) as Readonly<Record<string, unknown>>
}
