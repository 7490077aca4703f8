import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { timeFormat } from '../lib/time.ts'
import { originOf, refuseForeign } from './origin.ts'
import type { Env } from './policy.ts'

const NAME = 'tidemark_session'

type Opened = { readonly sessionId: string; readonly refreshToken: string; readonly expiresAt: number }

/** The answer to a request that opened a session. With `cookie: true` the credentials that outlive the access token are in
 * the cookie alone.
 * @throws {Refusal} forbidden when a page of another origin asks for the cookie */
export function sessionAnswer<Session extends Opened>(
  c: Context<Env>,
  { sessionId, refreshToken, expiresAt, ...rest }: Session,
  cookie = false,
) {
  if (cookie) setSessionCookie(c, { refreshToken, expiresAt })
  const shown = { ...rest, expiresAt: timeFormat(c.get('ports').settings.timeZone)(expiresAt) }
  return c.json(cookie ? shown : { ...shown, sessionId, refreshToken })
}

/** The refresh token in the cookie; undefined without a cookie.
 * @throws {Refusal} forbidden when a page of another origin sent it */
export function sessionCookieOf(c: Context<Env>): string | undefined {
  const token = getCookie(c, NAME)
  if (token !== undefined) refuseForeign(c.req.raw)
  return token
}

/** Sets the cookie until `expiresAt`, in milliseconds. */
export function setSessionCookie(
  c: Context<Env>,
  { refreshToken, expiresAt }: Pick<Opened, 'refreshToken' | 'expiresAt'>,
): void {
  const maxAge = Math.ceil((expiresAt - c.get('ports').clock.now()) / 1000)
  setCookie(c, NAME, refreshToken, { ...cookieAttributes(c, '/session'), maxAge })
}

/** Deletes the cookie in the browser. */
export function clearSessionCookie(c: Context<Env>): void {
  deleteCookie(c, NAME, cookieAttributes(c, '/session'))
}

/** The attributes of a cookie that is sent below a path of the service, and that no script and no other site reads. */
export function cookieAttributes(c: Context<Env>, path: string) {
  return {
    path: c.get('ports').settings.basePath + path,
    httpOnly: true,
    sameSite: 'Strict',
    secure: originOf(c.req.raw).startsWith('https:'),
  } as const
}
