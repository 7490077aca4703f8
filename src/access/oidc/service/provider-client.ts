import * as oauth from 'oauth4webapi'
import { readBytes } from '../../../http/bytes.ts'
import { Refusal } from '../../../lib/errors.ts'
import { isLoopbackUrl, isSafeUrl } from '../../../lib/urls.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Network } from '../../../ports/network.ts'
import type { OidcSettings } from '../../../ports/oidc-settings.ts'

const TIMEOUT_MS = 5_000
const ANSWER_MAX_BYTES = 64 * 1024
const RETRY_AFTER_S = 5

/** The URL of an endpoint in the metadata of the provider. @throws {Refusal} unavailable without one that `isReachable` */
export function endpoint(oidc: OidcSettings, url: string | undefined): URL {
  if (url !== undefined && isReachable(oidc, url)) return new URL(url)
  throw new Refusal(
    'unavailable',
    'The OpenID Connect provider publishes no usable URL for this.',
    [],
    RETRY_AFTER_S,
  )
}

/** Whether a URL is safe. A provider on another machine must not name one of this machine. */
function isReachable({ issuer }: OidcSettings, url: string): boolean {
  return isSafeUrl(url) && (isLoopbackUrl(issuer) || !isLoopbackUrl(url))
}

/** A `fetch` for requests to the provider: it takes 5 seconds and 64 KiB at most, and follows no redirect. */
export function providerFetch(network: Network, oidc: OidcSettings) {
  return async (url: string, init: object): Promise<Response> => {
    if (!isReachable(oidc, url))
      throw new Refusal('unavailable', 'The OpenID Connect provider publishes an unsafe URL.')
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    let response: Response
    let bytes: Uint8Array<ArrayBuffer>
    try {
      response = await network.fetch(new Request(url, { ...init, redirect: 'manual', signal }))
      bytes = await readBytes(response, ANSWER_MAX_BYTES)
    } catch (cause) {
      throw unavailable(cause)
    }
    const { status, headers } = response
    const isAnswer = status < 300 || (status >= 400 && status < 500)
    if (!isAnswer) throw unavailable(new TypeError(`The provider answered ${status}.`))
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers })
  }
}

/** The options of `oauth4webapi` for requests to the provider. */
export function requestOptions(network: Network, oidc: OidcSettings) {
  return {
    [oauth.customFetch]: providerFetch(network, oidc),
    // oxlint-disable-next-line typescript/no-deprecated -- http: is allowed for providers of this machine alone
    [oauth.allowInsecureRequests]: isLoopbackUrl(oidc.issuer),
  }
}

/** Logs why the provider did not answer, or answered outside the protocol. @returns the refusal of the login */
export function loggedUnavailable({ log }: Ports, cause: unknown): Refusal {
  log.error('OpenID Connect: the provider is unavailable or answers wrongly', cause)
  return unavailable(cause)
}

function unavailable(cause: unknown): Refusal {
  const refusal = new Refusal(
    'unavailable',
    'The OpenID Connect provider is unavailable. Try again later.',
    [],
    RETRY_AFTER_S,
  )
  refusal.cause = cause
  return refusal
}
