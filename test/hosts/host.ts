/** A running service under test, reached over HTTP like any other. */
export type Host = {
  readonly name: 'bun' | 'edge'
  readonly url: string
  /** What the service has logged so far, a line each. */
  readonly logs: readonly string[]
  /** The key of the installation, for whoever signs in its name. */
  readonly key: Uint8Array<ArrayBuffer>
  /** Where the first administrator is created; null when there is somebody already. */
  setupLink(): Promise<string | null>
  close(): Promise<void>
}

/** The administrator that every host under test starts with. */
export const ADMIN = { username: 'admin', password: 'correct horse battery' } as const

/** The zone of hosts under test: one with summer time. */
export const TIME_ZONE = 'Europe/Zurich'
