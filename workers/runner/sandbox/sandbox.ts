import type { Isolation } from '../../../src/automation/runs/protocol.ts'
import { openPlain } from './plain.ts'
import type { Contained, Limits, SandboxStart } from './contained.ts'

/** Something of the machine that keeps jobs apart. */
export type Means = 'namespaces' | 'landlock' | 'uids' | 'seccomp' | 'cgroups' | 'rooms'

export type SandboxOptions = {
  /** For what the sandbox needs itself; every directory above it must let other users through. */
  readonly directory: string
  /** How many jobs there are at once. */
  readonly slots: number
  /** `required` takes no jobs below `full`, `best-effort` takes them with what the machine has, `off` with nothing. */
  readonly demand: 'required' | 'best-effort' | 'off'
  readonly limits?: Partial<Limits>
  /** Hosts, or hosts with ports, that jobs may reach although they are private, if their network names them. */
  readonly outboundAllow: ReadonlySet<string>
  /** The host:port that every job may reach wherever it is. */
  readonly service: string
  /** Means that are not used although the machine has them. */
  readonly without?: ReadonlySet<Means>
}

export type Sandbox = {
  readonly isolation: Isolation
  /** What keeps this from being `full`, each in words. */
  readonly missing: readonly string[]
  /** What keeps jobs from being run, if anything does. */
  readonly refusal: string | null
  /** @throws {Error} where it takes no jobs, while all slots are taken, and outside the main thread: a job ends with the
   * thread that started it */
  start(start: SandboxStart): Promise<Contained>
  /** Makes a directory whose content is bounded in size, where the machine can; it must not be there yet. */
  makeRoom(path: string, sizeMaxBytes: number): Promise<void>
  /** Removes it with all that is in it; nothing may run in it any more. */
  removeRoom(path: string): Promise<void>
  /** Ends what runs and gives everything back. */
  close(): Promise<void>
}

/** Looks at what this machine offers, clears away what a runner that died left behind, and takes what is asked for. */
export function openSandbox(_options: SandboxOptions): Promise<Sandbox> {
  return openPlain()
}
