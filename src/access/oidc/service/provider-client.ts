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

/** An address that the provider names: as safe as its own. @throws {Refusal} unavailable */
export function endpoint(oidc: OidcSettings, place: string | undefined): URL {
  if (place !== undefined && isReachable(oidc, place)) return new URL(place)
  throw new Refusal(
    'unavailable',
    'The OpenID Connect provider publishes no usable URL for this.',
    [],
    RETRY_AFTER_S,
  )
}

/** Whom a provider elsewhere names is not on this machine. */
function isReachable({ issuer }: OidcSettings, url: string): boolean {
  return isSafeUrl(url) && (isLoopbackUrl(issuer) || !isLoopbackUrl(url))
}

/** Asks the provider: in 5 seconds, 64 KiB at most, and never where a redirect leads. */
export function outward(network: Network, oidc: OidcSettings) {
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
      throw unanswered(cause)
    }
    const { status, headers } = response
    const isAnswer = status < 300 || (status >= 400 && status < 500)
    if (!isAnswer) throw unanswered(new TypeError(`The provider answered ${status}.`))
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers })
  }
}

/** The options of the library for requests to the provider. */
export function outwards(network: Network, oidc: OidcSettings) {
  return {
    [oauth.customFetch]: outward(network, oidc),
    // oxlint-disable-next-line typescript/no-deprecated -- it warns of what is for this machine alone here, too
    [oauth.allowInsecureRequests]: isLoopbackUrl(oidc.issuer),
  }
}

/** The refusal when the provider does not answer, or answers outside the protocol; the log has the details. */
export function away({ log }: Ports, cause: unknown): Refusal {
  log.error('OpenID Connect: the provider is unavailable or answers wrongly', cause)
  return unanswered(cause)
}

function unanswered(cause: unknown): Refusal {
  const refusal = new Refusal(
    'unavailable',
    'The OpenID Connect provider is unavailable. Try again later.',
    [],
    RETRY_AFTER_S,
  )
  refusal.cause = cause
  return refusal
}
