/** Whether secrets may be sent there: `https:`, or `http:` that does not leave this machine, and no credentials in it. */
export function isSafeUrl(text: string): boolean {
  const { protocol, username, password } = urlOf(text) ?? {}
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackUrl(text))
}

/** Whether a URL is of this machine. */
export function isLoopbackUrl(text: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(urlOf(text)?.hostname ?? '')
}

/** The URL that a text is; null for any other text. */
export function urlOf(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
