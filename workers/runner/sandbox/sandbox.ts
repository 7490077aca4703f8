import { mkdir, symlink } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import { isMainThread } from 'node:worker_threads'

import type { Isolation } from '../../../src/domain/isolation.ts'
import type { Bind, Contained, Exit, Limits, SandboxStart } from './container.ts'
import { openLauncher } from './launch.ts'
import type { Launcher } from './launch.ts'
import { levelOf, MEANS, missingOf } from './level.ts'
import type { Means } from './level.ts'
import { openMachine } from './machine.ts'
import type { Machine, MachineOptions, Slot } from './machine.ts'
import { dropWorkFolder, giveTo, mountWorkFolder } from './mounts.ts'
import { follow } from './process.ts'
import type { Ended } from './process.ts'
import { openWaysOut } from './ways-out.ts'
import type { WaysOut, WaysOutOptions } from './ways-out.ts'

export type SandboxOptions = MachineOptions & {
  readonly limits?: Partial<Limits>
  /** Hosts, or hosts with ports, that jobs may reach although they are private, if their network names them. */
  readonly outboundAllow: ReadonlySet<string>
  /** The host:port that every job may reach wherever it is. */
  readonly service: string
  /** The addresses of a name, the best first; those that this machine knows unless told otherwise. */
  readonly addressesOf?: NonNullable<WaysOutOptions['addressesOf']>
}

export type Sandbox = {
  readonly isolation: Isolation
  /** The means that isolate jobs. */
  readonly means: readonly Means[]
  /** The reasons why the level is not `full`, in words. */
  readonly missing: readonly string[]
  /** The reason why no job can run, or null. */
  readonly refusal: string | null
  /** Starts a job. @throws {Error} if the sandbox takes no jobs, if all slots are taken, and outside the main thread: a job ends
   * with the thread that started it */
  start(start: SandboxStart): Promise<Contained>
  /** Creates a directory whose size is limited, if the machine can limit it. The directory must not exist. */
  makeRoom(path: string, sizeMaxBytes: number): Promise<void>
  /** Removes a directory of `makeRoom` with its content. No process may run in it any more. */
  removeRoom(path: string): Promise<void>
  /** Ends all jobs and releases the slots, the directories and the user ids. */
  close(): Promise<void>
}

const MIB = 1024 * 1024

const LIMITS: Limits = {
  memoryMaxBytes: 1_024 * MIB,
  pidsMax: 256,
  cpuMax: 1,
  fileMaxBytes: 1_024 * MIB,
  openFilesMax: 1_024,
}

type FreeSlot = { readonly slot: Slot; launcher: Promise<Launcher> }

type LaunchParts = { readonly start: SandboxStart; readonly ways: WaysOut }

/** Opens the sandbox that the options and this machine allow, and removes the remains of a runner that died. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  await mkdir(options.directory, { recursive: true, mode: 0o711 })
  return new MachineSandbox(options, await openMachine(options))
}

class MachineSandbox implements Sandbox {
  readonly isolation: Isolation
  readonly means: readonly Means[]
  readonly missing: readonly string[]
  readonly refusal: string | null
  readonly #options: SandboxOptions
  readonly #machine: Machine
  readonly #free: FreeSlot[] = []
  readonly #running = new Set<Contained>()
  readonly #rooms = new Set<string>()

  constructor(options: SandboxOptions, machine: Machine) {
    this.#options = options
    this.#machine = machine
    this.means = MEANS.filter((means) => machine.found[means] === null)
    this.isolation = levelOf((means) => this.means.includes(means))
    this.missing = missingOf(machine.found)
    this.refusal = machine.fault ?? refusalOf(options.demand, this.isolation, this.missing)
    if (this.refusal === null) for (const slot of machine.slots) this.#release(slot)
  }

  async start(start: SandboxStart): Promise<Contained> {
    if (this.refusal !== null) throw new Error(this.refusal)
    if (!isMainThread)
      throw new Error(
        'A sandboxed process must be started from the main thread, because it ends with its thread.',
      )
    checkWords(start)
    // The slot that was released last: the memory of preparing and running a job then counts in one group.
    const free = this.#free.pop()
    if (free === undefined) throw new Error('All slots are in use.')
    try {
      return await this.#startIn(free, start)
    } catch (error) {
      await discarded(free)
      this.#release(free.slot)
      throw error
    }
  }

  async #startIn(free: FreeSlot, start: SandboxStart): Promise<Contained> {
    const { slot } = free
    const { uid, group } = slot
    const namespaces = this.means.includes('namespaces')
    const limits = { ...LIMITS, ...this.#options.limits, ...start.limits }
    group?.bound(limits)
    if (uid !== null) for (const path of start.writable) await giveTo(uid, path)
    if (!namespaces) await linkAll(start.readOnly)
    const ways = await openWaysOut(start, { ...this.#options, ...slot, namespaces })
    try {
      // Now with the variables of the tunnel.
      checkWords(ways.start)
      const launcher = await this.#launcherOf(free)
      const launched = await launcher.launch({ ...ways, limits })
      const { onStdout, onStderr } = start
      const { memoryMaxBytes } = limits
      const running = follow({ launched, group, uid, namespaces, memoryMaxBytes, onStdout, onStderr })
      const contained = { ...running, exited: this.#untilReleased(running.exited, slot, { start, ways }) }
      this.#running.add(contained)
      const forget = () => this.#running.delete(contained)
      contained.exited.then(forget, forget)
      return contained
    } catch (error) {
      ways.close()
      throw error
    }
  }

  /** Makes a slot free, with a launcher that waits in it. */
  #release(slot: Slot): void {
    const launcher = this.#openLauncher(slot)
    // The next run in this slot opens a launcher again.
    launcher.catch(() => {})
    this.#free.push({ slot, launcher })
  }

  async #launcherOf(free: FreeSlot): Promise<Launcher> {
    const launcher = await free.launcher.catch(() => null)
    if (launcher?.isWaiting()) return launcher
    await launcher?.discard()
    free.launcher = this.#openLauncher(free.slot)
    return free.launcher
  }

  #openLauncher(slot: Slot): Promise<Launcher> {
    const confinement = this.#machine.confinementOf(slot)
    return openLauncher({ confinement, folder: slot.folder, scratch: this.#options.directory })
  }

  /** Waits for the end of a job, makes the runner the owner of its files, and then makes the slot free. */
  async #untilReleased(ended: Promise<Ended>, slot: Slot, { start, ways }: LaunchParts): Promise<Exit> {
    try {
      const exit = await ended
      if (slot.uid !== null) {
        const kept = start.writable.filter((path) => !this.#isInRoom(path))
        for (const path of kept) await giveTo(process.getuid?.() ?? 0, path)
      }
      return { ...exit, ...ways.traffic() }
    } finally {
      ways.close()
      this.#release(slot)
    }
  }

  #isInRoom(path: string): boolean {
    return [...this.#rooms].some((room) => path.startsWith(`${room}/`))
  }

  async makeRoom(path: string, sizeMaxBytes: number): Promise<void> {
    await mkdir(path, { mode: 0o711 })
    this.#rooms.add(path)
    if (this.means.includes('rooms')) await mountWorkFolder(path, sizeMaxBytes)
  }

  async removeRoom(path: string): Promise<void> {
    await dropWorkFolder(path)
    this.#rooms.delete(path)
  }

  async close(): Promise<void> {
    for (const contained of this.#running) contained.kill()
    await Promise.allSettled([...this.#running].map(({ exited }) => exited))
    for (const free of this.#free.splice(0)) await discarded(free)
    for (const room of this.#rooms) await this.removeRoom(room)
    await this.#machine.close()
  }
}

async function discarded({ launcher }: FreeSlot): Promise<void> {
  // A launcher that could not be opened has no process.
  const opened = await launcher.catch(() => null)
  await opened?.discard()
}

/** @returns the reason why the sandbox takes no jobs at this level; null if it takes them */
function refusalOf(
  demand: SandboxOptions['demand'],
  isolation: Isolation,
  missing: readonly string[],
): string | null {
  if (demand !== 'required' || isolation === 'full') return null
  return `Runs cannot be fully isolated on this machine, and TIDEMARK_RUNNER_ISOLATION does not allow less: ${missing.join('; ')}.`
}

/** @throws {RangeError} if a process cannot have these arguments, variables or paths */
function checkWords({ argv, env, cwd, writable, readOnly }: SandboxStart): void {
  const paths = [cwd, ...writable, ...readOnly.flatMap(({ from, to }) => [from, to])]
  if (argv.length === 0) throw new RangeError('A run needs a command.')
  if ([...argv, ...paths, ...Object.values(env)].some((word) => word.includes('\0')))
    throw new RangeError('The arguments, paths and variables of a run must not contain NUL.')
  if (Object.keys(env).some((name) => !/^[^=\0]+$/.test(name)))
    throw new RangeError('A variable of a run has an invalid name.')
  if (!paths.every(isAbsolute)) throw new RangeError('The paths of a run must be absolute.')
}

/** Links files to their places for the job, where they cannot be mounted. */
async function linkAll(binds: readonly Bind[]): Promise<void> {
  for (const { from, to } of binds.filter((bind) => bind.from !== bind.to)) {
    await mkdir(dirname(to), { recursive: true })
    await symlink(from, to)
  }
}
