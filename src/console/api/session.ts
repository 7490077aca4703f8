import { signal } from '@preact/signals'

import { API_BASE, call, jsonOf, useCredentials } from './client.ts'
import type { Answer } from './client.ts'
import { Failure, failureOf } from './failure.ts'

/** The access token is renewed this long before its end. */
const RENEWAL_MS = 60_000
/** Set in this browser while a cookie may be there: without one there is no session to renew. */
const SIGNED_IN_KEY = 'tidemark.signedIn'

export type User = Answer<'/session'>['user']
export type SignIn = {
  readonly username: string
  readonly password: string
  readonly code?: string
}

/** `starting` until the cookie of an earlier visit was tried; `entering` until its user is read; `over` when a session ended while a
 * page is open. */
export type SessionStatus = 'starting' | 'entering' | 'out' | 'in' | 'over'
export const sessionStatus = signal<SessionStatus>('starting')
/** The user of the page. Stays while the session is over, so that the page stays as it was. */
export const user = signal<User | null>(null)
/** The action that the user owes before anything else: set up MFA, or change the password. */
export const owedAction = signal<'mfa' | 'password' | null>(null)

/** Whether a user has signed in. The session may have ended since. */
export const isSignedIn = (): boolean => sessionStatus.value === 'in' || sessionStatus.value === 'over'

type Access = { readonly token: string; readonly endsAt: number }
/** A personal token instead of a session: it cannot be renewed. */
let isPersonal = false
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
    if (isPersonal) return false
    if (await renew()) return true
    if (!isSignedIn()) return false
    sessionStatus.value = 'over'
    await new Promise<void>((resolve) => waiting.push(resolve))
    return true
  },
})

/** Renews the session of an earlier visit. Called once, before the first screen.
 * @throws {Failure} when the service cannot be reached */
export async function startSession(): Promise<void> {
  if (localStorage.getItem(SIGNED_IN_KEY) !== null && (await renew())) {
    sessionStatus.value = 'entering'
    await enter()
  } else sessionStatus.value = 'out'
}

/** Reads with a personal token, which outlives each session. The page has no user. */
export function usePersonalToken(token: string): void {
  isPersonal = true
  access = { token, endsAt: Number.POSITIVE_INFINITY }
  sessionStatus.value = 'in'
}

/** Signs in with a password, and a code where MFA is active.
 * @throws {Failure} with code `mfa_code_required` when a code is missing */
export async function signIn(form: SignIn): Promise<void> {
  keep(await post('/session/login', { ...form, cookie: true }))
  await enter()
}

/** Signs in after the return from the identity provider, with a code where MFA is active.
 * @throws {Failure} with code `mfa_code_required` when a code is missing */
export async function signInByOidc(code?: string): Promise<void> {
  keep(await post('/oidc/session', { cookie: true, ...(code !== undefined && { code }) }))
  await enter()
}

/** Ends this session, or all sessions of the user, on the service and in this page.
 * @throws {Failure} when the service has not ended them; the page then stays signed in */
export async function signOut(everywhere = false): Promise<void> {
  await call('post', '/session/logout', { body: everywhere ? { everywhere } : {} })
  localStorage.removeItem(SIGNED_IN_KEY)
  location.assign(new URL('login', document.baseURI))
}

/** Leaves the page for the login, after the service has ended all sessions. @param why a reason that the login names */
export function leave(why: 'restored'): void {
  localStorage.removeItem(SIGNED_IN_KEY)
  const login = new URL('login', document.baseURI)
  login.searchParams.set('why', why)
  location.assign(login)
}

/** Reads the user again, after a change of the account. */
export async function readUser(): Promise<void> {
  const answer = await call('get', '/session', {})
  user.value = answer.user
  owedAction.value = answer.owed
}

async function enter(): Promise<void> {
  await readUser()
  localStorage.setItem(SIGNED_IN_KEY, 'true')
  sessionStatus.value = 'in'
  for (const go of waiting) go()
  waiting = []
}

/** Renews the access token by the cookie; several callers share one renewal.
 * @returns false when the session has ended
 * @throws {Failure} when the service cannot be reached */
function renew(): Promise<boolean> {
  renewal ??= post('/session/refresh', {})
    .then((answer) => {
      keep(answer)
      return true
    })
    .catch((error: unknown) => {
      if (!(error instanceof Failure) || error.status === 0 || error.status >= 500) throw error
      access = null
      return false
    })
    .finally(() => {
      renewal = null
    })
  return renewal
}

type Tokens = { readonly accessToken: string; readonly expiresIn: number }

function keep({ accessToken, expiresIn }: Tokens): void {
  access = { token: accessToken, endsAt: Date.now() + expiresIn * 1000 }
}

/** Posts to a route of the session, which takes the cookie and no access token. */
async function post(path: string, body: object): Promise<Tokens> {
  const answer = await fetch(API_BASE + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw Failure.unreachable(error)
  })
  if (!answer.ok) throw await failureOf(answer)
  return (await jsonOf(answer)) as Tokens
}
