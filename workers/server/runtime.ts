import type { Handle } from '../../src/app.ts'
import type { Network } from '../../src/ports/network.ts'
import type { Secrets } from '../../src/ports/secrets.ts'
import type { ConsoleBuild } from './console-build.ts'
import type { OpenListener, Peers } from './listener.ts'
import type { NetworkOptions } from './network.ts'
import type { OpenTables, TablesParts } from './tables/tables.ts'

/** The parts of the host that each runtime with Node's modules has for itself. */
export type Runtime = {
  readonly openListener: OpenListener
  readonly openNetwork: (options: NetworkOptions) => Network & { listensAs(listener: Peers): void }
  readonly openTables: (parts: TablesParts) => Promise<OpenTables>
  /** In threads that yield to deliveries. */
  readonly scrypt: Secrets['scrypt']
  /** The files of the web console. */
  readonly builtConsole: () => Promise<ConsoleBuild>
  /** Gives answers the form in which the runtime sends them at least cost. */
  readonly inFewSends: (handle: Handle) => Handle
  /** As in `Ports`. */
  readonly appendsFields?: true
  /** As in `Ports`. */
  readonly textBody?: (text: string) => string | ReadableStream
}
