import type { RunKind } from '../../../src/automation/runs/protocol.ts'

/** A file or directory of the machine, and its path for the job. */
export type Bind = { readonly from: string; readonly to: string }

export type Limits = {
  /** Of all processes together, with the content of their directory and of temporary files. */
  readonly memoryMaxBytes: number
  readonly pidsMax: number
  /** Cores, in parts of one. */
  readonly cpuMax: number
  readonly fileMaxBytes: number
  readonly openFilesMax: number
}

/** A host and one of its ports. */
export type HostPort = { readonly host: string; readonly port: number }

/** A target that a job may reach by programs without proxy support: a name, or an address without brackets, and a port. */
export type Tunnel = HostPort & {
  /** The variables of the run, once the address of the tunnel inside is known. */
  readonly variables: (found: HostPort) => Readonly<Record<string, string>>
}

/** The command, and all of its inputs. */
export type SandboxStart = {
  /** The first is looked up in the `PATH` of `env`. */
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Decides which settings of the system the job can read. */
  readonly kind: RunKind
  readonly readOnly: readonly Bind[]
  /** Directories at the same path for the job. The user of the job becomes their owner. */
  readonly writable: readonly string[]
  /** The targets that it may reach through the proxy, each as host:port; `open` is all of the public internet. */
  readonly network: readonly string[] | 'open'
  readonly tunnel?: Tunnel | null
  /** Instead of the sandbox's own. */
  readonly limits?: Partial<Limits>
  /** Called with a sentence for each connection to a host that it may not reach. */
  readonly onForbidden?: (text: string) => void
  /** Called with output as it comes; never awaited. */
  readonly onStdout: (bytes: Uint8Array) => void
  readonly onStderr: (bytes: Uint8Array) => void
}

export type Exit = {
  /** 128 and the signal's number when a signal ended it. */
  readonly code: number
  /** The external reason of its end, in words; null when it ended by itself. */
  readonly reason: string | null
  /** Its traffic through the proxy. */
  readonly sentBytes: number
  readonly receivedBytes: number
}

export type Contained = {
  /** Resolves when all its processes have ended and their output was read.
   * @throws {Error} when it could not be started in its sandbox */
  readonly exited: Promise<Exit>
  /** Sends SIGTERM to the job. */
  terminate(): void
  /** Ends every process of the job at once. */
  kill(): void
}
