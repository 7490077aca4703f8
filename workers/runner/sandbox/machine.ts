import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { isInPath, runProgram } from '../programs.ts'
import { delegate, hierarchiesOf, openGroup } from './cgroups.ts'
import type { ProcessGroup } from './cgroups.ts'
import type { Limits, SandboxStart } from './container.ts'
import { openLauncher } from './launch.ts'
import type { Confinement } from './launch.ts'
import { MEANS } from './level.ts'
import type { ProbeResults, Means } from './level.ts'
import { dropWorkFolder, dropWorkFoldersBelow, mountWorkFolder } from './mounts.ts'
import { emptied, follow } from './process.ts'
import { PROCESSORS } from './syscalls.ts'
import type { Processor } from './syscalls.ts'
import { asUser, claimUids, endProcessesOf } from './uids.ts'
import type { Uids } from './uids.ts'

/** The share of the machine for one job. */
export type Slot = {
  readonly index: number
  /** The folder for the files of the sandbox itself. */
  readonly folder: string
  readonly uid: number | null
  readonly group: ProcessGroup | null
}

export type MachineOptions = {
  /** The directory for the files of the sandbox itself. Other users must be able to enter each directory above it. */
  readonly directory: string
  /** The number of jobs at once, from 1 to 64. */
  readonly slots: number
  /** `required` takes jobs only at the level `full`, `best-effort` at the level of the machine, `off` without isolation. */
  readonly demand: 'required' | 'best-effort' | 'off'
  /** Means that are not used although the machine has them. */
  readonly without?: ReadonlySet<Means>
}

/** The isolation of this machine, as far as a trial worked. */
export type Machine = {
  /** Why each means is not used; null where it is. */
  readonly found: ProbeResults
  readonly slots: readonly Slot[]
  /** The reason why no run can start at any level; null if runs can start. */
  readonly fault: string | null
  readonly confinementOf: (slot: Slot) => Confinement
  readonly close: () => Promise<void>
}

/** The length of a fault, which is shown in the log and in the list of runners. */
const FAULT_MAX = 150

const TRIAL_LIMITS: Limits = {
  memoryMaxBytes: 256 * 1024 * 1024,
  pidsMax: 32,
  cpuMax: 1,
  fileMaxBytes: 1024 * 1024,
  openFilesMax: 256,
}

const PROCESSOR = process.arch in PROCESSORS ? (process.arch as Processor) : null

/** Tries each means of isolation, ends the processes of a runner that died, and prepares each slot. */
export async function openMachine(options: MachineOptions): Promise<Machine> {
  const found: Record<Means, string | null> = { ...startingPoint(options) }
  const uids = found.uids === null ? await claimed(found) : null
  const free = slotsFor(options, uids)
  for (const { uid } of free) if (uid !== null) await endProcessesOf(uid)
  const slots = found.cgroups === null ? await withGroups(free, found) : free
  if (found.rooms === null) found.rooms = await faultOf(() => tryRoom(options.directory))
  if (PROCESSOR === null) found.seccomp ??= `not supported on ${process.arch}`
  const confinementOf = (slot: Slot) => confinementIn(found, slot)
  const fault =
    lackingProgram() ?? (await settle(found, () => tryOut(options.directory, slots, confinementOf)))
  for (const means of fault === null ? [] : MEANS) found[means] ??= fault
  return {
    found,
    slots,
    fault,
    confinementOf,
    async close() {
      for (const { group } of slots) group?.remove()
      await uids?.release()
    },
  }
}

function slotsFor({ slots, directory }: MachineOptions, uids: Uids | null): Slot[] {
  return Array.from({ length: slots }, (_, index) => {
    const uid = uids === null ? null : uids.first + index
    return { index, folder: join(directory, `slot-${index}`), uid, group: null }
  })
}

function confinementIn(found: ProbeResults, { uid, group }: Slot): Confinement {
  return {
    namespaces: found.namespaces === null,
    landlock: found.namespaces !== null && found.landlock === null,
    processor: found.seccomp === null ? PROCESSOR : null,
    uid,
    doors: group?.doors ?? [],
  }
}

function startingPoint({ demand, without = new Set() }: MachineOptions): ProbeResults {
  const reasonFor = (means: Means) => {
    if (demand === 'off' || without.has(means)) return 'switched off'
    if (means === 'namespaces' && !isInPath('bwrap')) return 'bubblewrap is not installed'
    return null
  }
  return Object.fromEntries(MEANS.map((means) => [means, reasonFor(means)])) as ProbeResults
}

/** The fault where a program is missing that every level of isolation needs; null where all are installed. */
function lackingProgram(): string | null {
  const lacking = ['socat', 'python3', 'setpriv', 'ps'].find((program) => !isInPath(program, '/usr/bin:/bin'))
  return lacking === undefined ? null : `${lacking} is not installed`
}

/** Leaves out one means after the other until a trial job runs: first those whose absence is most common.
 * @returns the reason why no trial job runs; null if one runs */
async function settle(
  found: Record<Means, string | null>,
  attempt: () => Promise<void>,
): Promise<string | null> {
  const first = { ...found }
  const lesser: readonly (readonly Means[])[] = [
    [],
    ['seccomp'],
    ['namespaces'],
    ['namespaces', 'seccomp'],
    ['namespaces', 'landlock'],
    ['namespaces', 'landlock', 'seccomp'],
  ]
  let reason: string | null = null
  for (const without of lesser) {
    const taken = without.filter((means) => first[means] === null)
    Object.assign(found, first, Object.fromEntries(taken.map((means) => [means, reason])))
    const fault = await faultOf(attempt)
    if (fault === null) {
      if (found.namespaces === null) found.landlock = 'not needed beside namespaces'
      return null
    }
    reason ??= fault
  }
  return reason
}

async function claimed(found: Record<Means, string | null>): Promise<Uids | null> {
  if (process.getuid?.() !== 0) {
    found.uids = 'the runner is not root'
    return null
  }
  const uids = await claimUids()
  found.uids =
    uids === null
      ? 'other runners use all of them'
      : await faultOf(() => succeeds(['setpriv', ...asUser(uids.first), 'true']))
  if (found.uids === null) return uids
  await uids?.release()
  return null
}

async function withGroups(
  slots: readonly Slot[],
  found: Record<Means, string | null>,
): Promise<readonly Slot[]> {
  const read = (file: string) => readFileSync(`/proc/self/${file}`, 'utf8')
  const faults: string[] = []
  // Without a user of its own, only the name distinguishes a sandbox.
  const name = crypto.randomUUID()
  for (const hierarchy of hierarchiesOf(read('mountinfo'), read('cgroup'))) {
    const grouped: Slot[] = []
    const fault = await faultOf(async () => {
      delegate(hierarchy, process.pid)
      for (const slot of slots) {
        const group = openGroup(hierarchy, `tidemark-${slot.uid ?? `${name}-${slot.index}`}`)
        grouped.push({ ...slot, group })
        await emptied(group)
        group.bound(TRIAL_LIMITS)
        await succeeds(['/bin/sh', '-c', JOIN, 'job', ...group.doors])
      }
    })
    if (fault === null) return grouped
    faults.push(fault)
    for (const { group } of grouped) await faultOf(async () => group?.remove())
  }
  found.cgroups = faults[0] ?? 'none are mounted'
  return slots
}

const JOIN = 'for door; do echo $$ >"$door" || exit 1; done'

async function tryRoom(directory: string): Promise<void> {
  const rooms = join(directory, 'probe')
  await dropWorkFoldersBelow(rooms)
  const path = join(rooms, 'room')
  await mkdir(path)
  await mountWorkFolder(path, 1024 * 1024)
  await dropWorkFolder(path)
}

/** Runs a trial job that checks its filter. @throws {Error} with the reason why it failed */
async function tryOut(
  directory: string,
  [slot]: readonly Slot[],
  confinementOf: (slot: Slot) => Confinement,
): Promise<void> {
  if (slot === undefined) throw new Error('the runner has no slots')
  const confinement = confinementOf(slot)
  const { namespaces, processor } = confinement
  const complaints: Uint8Array[] = []
  const check = processor === null ? 'true' : 'grep -q "^Seccomp:.2" /proc/self/status'
  const start: SandboxStart = {
    argv: ['/bin/sh', '-c', `${check} || { echo 'the filter is not in force' >&2; exit 1; }`],
    cwd: '/',
    env: {},
    kind: 'shell',
    readOnly: [],
    writable: [],
    network: [],
    onStdout() {},
    onStderr: (bytes) => complaints.push(bytes),
  }
  const { uid, group, folder } = slot
  const launcher = await openLauncher({ confinement, folder, scratch: directory })
  const launched = await launcher.launch({ start, limits: TRIAL_LIMITS, way: null, tunnel: null })
  const running = follow({ ...start, launched, group, uid, namespaces, memoryMaxBytes: 0 })
  const { code } = await running.exited
  if (code !== 0)
    throw new Error(Buffer.concat(complaints).toString().trim() || `a test run ended with ${code}`)
}

async function faultOf(act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act()
    return null
  } catch (error) {
    return (error as Error).message.split('\n', 1)[0]?.slice(0, FAULT_MAX) ?? ''
  }
}

async function succeeds(command: string[]): Promise<void> {
  const { code, stderr } = await runProgram(command)
  if (code !== 0) throw new Error(stderr.trim() || `${command[0]} ended with ${code}`)
}
