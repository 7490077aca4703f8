/** Scheme and host by which a request reached the service, also behind a proxy that ends TLS. Sent by the caller: good for
 * texts that go back to the caller, and for nothing else. */
export function originOf(request: Request): string {
  const { origin } = new URL(request.url)
  const isForwarded = request.headers.get('x-forwarded-proto')?.trim().toLowerCase() === 'https'
  return isForwarded ? origin.replace(/^http:/, 'https:') : origin
}
