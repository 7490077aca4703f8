import { base64url } from '../../src/lib/text.ts'
import type { Lie, startLyingProvider } from './lying-provider.ts'

type Provider = Awaited<ReturnType<typeof startLyingProvider>>

/** What a page keeps to itself, and what it begins a login with. */
export async function newVerifier(): Promise<{ verifier: string; challenge: string }> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: base64url(new Uint8Array(digest)) }
}

/** What a browser brings back from a provider that lies so, after it was sent there. */
export function comeBack(provider: Provider, sentTo: string, lie: Lie): URLSearchParams {
  const asked = new URL(sentTo).searchParams
  provider.tell(lie, asked.get('nonce') ?? '')
  const parameters = new URLSearchParams({
    code: 'x',
    state: asked.get('state') ?? '',
    iss: provider.issuer,
  })
  lie.callback?.(parameters)
  return parameters
}
