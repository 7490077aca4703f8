import ipaddr from 'ipaddr.js'
import { urlOf } from './urls.ts'

/** Names of this machine or its network, for any answer of a name server. */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/

/** Stands in an address field for a sender whose address is not one. */
export const UNKNOWN_ADDRESS = 'unknown'

/** Global unicast (RFC 4291 section 2.4). All other IPv6 addresses are local, translate IPv4 or are reserved. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** The address that a proxy wrote, without a port, brackets and a zone, and IPv4 as IPv4; `unknown` for anything else. */
export function addressIn(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text)
  const address = (bare?.[1] ?? bare?.[2] ?? text).replace(/%.*$/, '')
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  return isAddress ? ipaddr.process(address).toString() : UNKNOWN_ADDRESS
}

/** Whether an address, IPv4 or IPv6 without brackets, is one of the public internet: not of this machine, its link, a
 * private network, a translation of such an address, or reserved. False for a text that is not an address. */
export function isPublicAddress(text: string): boolean {
  // An address with a zone belongs to a link. ipaddr.js takes ::8.8.8.8, which is IPv4-compatible, for ::ffff:8.8.8.8.
  if (!ipaddr.isValid(text) || text.includes('%') || /^::\d+\./.test(text)) return false
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST)) return false
  return address.range() === 'unicast'
}

const UNLESS_ALLOWED = 'unless the setting TIDEMARK_OUTBOUND_ALLOW lists its host'
/** Behind `leads to a private address: `. */
export const ALLOWED_ALONE = 'only hosts that the setting TIDEMARK_OUTBOUND_ALLOW lists may do so'

/** Why nothing may be sent to a URL as it stands, before its name is looked up; null when it may be.
 * @param allowed hosts, or hosts with ports, that may be reached although they are private, or without TLS */
export function faultOfReceiver(url: string, allowed: ReadonlySet<string>): string | null {
  const { protocol, username, password, hostname, host } = urlOf(url) ?? {}
  if (hostname === undefined || hostname === '' || host === undefined) return 'must be a URL'
  if (protocol !== 'https:' && protocol !== 'http:') return 'must be an https: URL'
  if (username !== '' || password !== '') return 'must have no credentials'
  if (isAllowed({ hostname, host }, allowed)) return null
  if (protocol !== 'https:') return `must be an https: URL, ${UNLESS_ALLOWED}`
  return isPrivateName(hostname) ? `leads to a private address: ${ALLOWED_ALONE}` : null
}

/** Where a connection that is not HTTP goes; an IPv6 address has no brackets. */
export type HostAndPort = { readonly host: string; readonly port: number }

/** Why no connection may be made to a host, before its name is looked up; null when one may be made. */
export function faultOfHost(to: HostAndPort, allowed: ReadonlySet<string>): string | null {
  if (isAllowedHost(to, allowed)) return null
  return isPrivateName(urlHost(to.host)) ? `leads to a private address: ${ALLOWED_ALONE}` : null
}

/** Whether the operator allows connections to this host wherever it is. */
export function isAllowedHost({ host, port }: HostAndPort, allowed: ReadonlySet<string>): boolean {
  const hostname = urlHost(host)
  return isAllowed({ hostname, host: `${hostname}:${port}` }, allowed)
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Whether the operator lets this host be reached wherever it is. */
export function isAllowed(
  { hostname, host }: Pick<URL, 'hostname' | 'host'>,
  allowed: ReadonlySet<string>,
): boolean {
  return allowed.has(hostname) || allowed.has(host)
}

/** Whether the host of a URL is visibly not on the public internet. */
function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  const address = /^\[(.*)\]$/.exec(name)?.[1] ?? name
  if (ipaddr.isValid(address)) return !isPublicAddress(address)
  // A name of one label is resolved in the search domain of this machine.
  return !name.includes('.') || PRIVATE_NAME.test(name)
}
