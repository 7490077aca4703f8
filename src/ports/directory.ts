/**
 * A directory of people (LDAP v3, RFC 4511), as the settings name it. Nothing is asked of it but what is below; referrals
 * are not followed, so that passwords go to this server only.
 */
export interface Directory {
  /** Runs a task over a connection of its own, which is bound as the service's account and closed at the end.
   * @throws {Refusal} unavailable when the server is away, is not who it should be, refuses the service, or breaks off */
  connected<Result>(task: (connection: DirectoryConnection) => Promise<Result>): Promise<Result>
}

export interface DirectoryConnection {
  /** The entries that fit, in pages (RFC 2696). @throws {Refusal} unavailable also for half an answer */
  search(query: DirectoryQuery): AsyncIterable<readonly DirectoryEntry[]>
  /** Whether this is the password of the entry; an empty one never is. From then on the connection is bound as the entry.
   * @throws {Refusal} unavailable when the server answers anything but yes or no */
  bind(dn: string, password: string): Promise<boolean>
}

export type DirectoryQuery = {
  readonly dn: string
  /** The entry itself, or all below it as well. */
  readonly scope: 'base' | 'sub'
  /** RFC 4515, as the operator wrote it; no text of another person becomes part of it. */
  readonly filter: string
  /** Beyond the filter, one of these values; any where it is absent. Those of `bytes` are hexadecimal digits. */
  readonly oneOf?: { readonly attribute: string; readonly values: readonly string[] }
  readonly attributes: readonly string[]
  /** Attributes whose values are bytes: they come and go as hexadecimal digits. */
  readonly bytes: readonly string[]
}

export type DirectoryEntry = {
  readonly dn: string
  /** By name in lower case; an attribute that has no value is not there. */
  readonly values: ReadonlyMap<string, readonly string[]>
}
