import { Buffer } from 'node:buffer'
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

import { AndFilter, Client, EqualityFilter, FilterParser, OrFilter } from 'ldapts'
import type { ClientOptions, Entry, Filter } from 'ldapts'

import { Refusal } from '../src/lib/errors.ts'
import type {
  Directory,
  DirectoryConnection,
  DirectoryEntry,
  DirectoryQuery,
} from '../src/ports/directory.ts'
import type { LdapSettings } from '../src/ports/ldap-settings.ts'

const PAGE_SIZE = 500
/** The maximum size of one answer: a page of people with three hundred groups each has about this size. */
const ANSWER_MAX_BYTES = 16 * 1024 * 1024
const RETRY_AFTER_S = 5

/** Result codes of RFC 4511 with which a server refuses a bind. */
const NO: ReadonlySet<number> = new Set([
  19, // constraintViolation: too many wrong passwords, says 389 Directory Server
  32, // noSuchObject
  48, // inappropriateAuthentication: the entry has no password
  49, // invalidCredentials, also of who is disabled, locked or has to change the password
  53, // unwillingToPerform: the account is inactive
])
const NO_SUCH_OBJECT = 32

/** A directory over LDAP, by ldapts, which both Bun and workerd run.
 * @throws {RangeError} if the filter of the settings is invalid */
export function openLdap(settings: LdapSettings): Directory {
  try {
    FilterParser.parseString(settings.filter)
  } catch (cause) {
    throw new RangeError('TIDEMARK_LDAP_USER_FILTER is not a valid filter (RFC 4515).', { cause })
  }
  return {
    async connected(task) {
      const received = { bytes: 0 }
      const client = new Client(clientOptions(settings, received))
      const ask: Ask = async (question) => {
        received.bytes = 0
        try {
          return await question()
        } catch (error) {
          throw away(error)
        }
      }
      try {
        if (settings.startTls) await ask(() => client.startTLS(tlsOptions(settings)))
        await ask(() => client.bind(settings.bindDn, settings.bindPassword))
        return await task(connectionOf(client, ask))
      } finally {
        // An unreachable server needs no unbind.
        await client.unbind().catch(() => null)
      }
    },
  }
}

/** Sends one request, whose answer has a maximum size. @throws {Refusal} unavailable, with the cause */
type Ask = <Result>(question: () => Promise<Result>) => Promise<Result>

function connectionOf(client: Client, ask: Ask): DirectoryConnection {
  return {
    search: (query) => search(client, query, ask),
    async bind(dn, password) {
      // A name without a password is an unauthenticated bind, which servers accept (RFC 4513 section 5.1.2).
      if (password === '' || dn === '') return false
      try {
        await ask(() => client.bind(dn, password))
        return true
      } catch (error) {
        if (NO.has(resultCodeOf(error))) return false
        throw error
      }
    },
  }
}

async function* search(
  client: Client,
  query: DirectoryQuery,
  ask: Ask,
): AsyncGenerator<readonly DirectoryEntry[]> {
  const { dn, scope, attributes, bytes } = query
  const pages = client.searchPaginated(dn, {
    scope,
    filter: filterOf(query),
    attributes: [...attributes],
    explicitBufferAttributes: [...bytes],
    paged: { pageSize: PAGE_SIZE },
  })
  const isByte = new Set(bytes.map((name) => name.toLowerCase()))
  for (;;) {
    const page = await ask(() => pages.next()).catch((error: unknown) => {
      if (resultCodeOf(error) === NO_SUCH_OBJECT) return null
      throw error
    })
    if (page === null || page.done === true) return
    // Referrals to other servers are not followed.
    yield page.value.searchEntries.map((entry) => entryOf(entry, isByte))
  }
}

/** The filter of a query, made of parts, so that a value is never read as a filter. In a text the library would also misread bytes
 * above 7F. */
function filterOf({ filter, oneOf, bytes }: DirectoryQuery): Filter {
  const parsed = FilterParser.parseString(filter)
  if (!oneOf) return parsed
  const { attribute, values } = oneOf
  const toValue = (value: string) => (bytes.includes(attribute) ? Buffer.from(value, 'hex') : value)
  const filters = values.map((value) => new EqualityFilter({ attribute, value: toValue(value) }))
  return new AndFilter({ filters: [parsed, new OrFilter({ filters })] })
}

function entryOf({ dn, ...attributes }: Entry, isByte: ReadonlySet<string>): DirectoryEntry {
  const values = new Map<string, readonly string[]>()
  for (const [spelled, value] of Object.entries(attributes)) {
    const name = spelled.toLowerCase()
    const all = Array.isArray(value) ? value : [value]
    const toText = (one: string | Buffer) => {
      if (typeof one === 'string') return isByte.has(name) ? new TextEncoder().encode(one).toHex() : one
      return isByte.has(name) ? one.toHex() : new TextDecoder().decode(one)
    }
    if (all.length > 0) values.set(name, all.map(toText))
  }
  return { dn, values }
}

/** One connection only: after a break the library would open another one, which is neither bound nor, after StartTLS,
 * encrypted. The size of answers is bounded, because the library reads all of them. */
function clientOptions(settings: LdapSettings, received: { bytes: number }): ClientOptions {
  const { url, timeoutMs, startTls } = settings
  const bounded = <S extends ReturnType<typeof connect>>(socket: S): S => {
    socket.on('data', (chunk: Uint8Array) => {
      received.bytes += chunk.byteLength
      if (received.bytes > ANSWER_MAX_BYTES) socket.destroy(new Error('The directory sent too much data.'))
    })
    return socket
  }
  const [once, onceSecurely] = [onlyOnce(), onlyOnce()]
  const dial = (port: number, host: string) => {
    once()
    return startTls ? connect(port, host) : bounded(connect(port, host))
  }
  const dialSecurely = (...to: Parameters<typeof connectSecurely>) => {
    onceSecurely()
    return bounded(connectSecurely(...to))
  }
  return {
    url,
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    createConnection: dial as typeof connect,
    createSecureConnection: dialSecurely as typeof connectSecurely,
    ...(/^ldap:/i.test(url) ? {} : { tlsOptions: tlsOptions(settings) }),
  }
}

function onlyOnce(): () => void {
  let isDone = false
  return () => {
    if (isDone) throw new Error('The connection to the directory was lost.')
    isDone = true
  }
}

/** The options of TLS, which require a certificate of the host of the URL. */
function tlsOptions({ url, ca, verifies }: LdapSettings) {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  const isAddress = /^[\d.]+$|:/.test(host)
  return {
    host,
    ...(isAddress ? {} : { servername: host }),
    ...(ca === null ? {} : { ca }),
    ...(verifies ? {} : { rejectUnauthorized: false }),
  }
}

/** The result code of RFC 4511 in an error of the directory; -1 without a code. */
function resultCodeOf(error: unknown): number {
  const { cause } = error as { readonly cause?: unknown }
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'number' ? code : -1
}

function away(cause: unknown): Refusal {
  const refusal = new Refusal(
    'unavailable',
    'The directory is unavailable. Try again later.',
    [],
    RETRY_AFTER_S,
  )
  refusal.cause = cause
  return refusal
}
