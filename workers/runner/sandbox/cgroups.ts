import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Limits } from './container.ts'

const CPU_PERIOD_US = 100_000
const CONTROLLERS = ['memory', 'pids', 'cpu'] as const

type Controller = (typeof CONTROLLERS)[number]

/** The directories of control groups: one for each controller. In version 2 all controllers have the same. */
export type Hierarchy = {
  readonly version: 1 | 2
  readonly directories: Readonly<Record<Controller, string>>
}

/** A control group: the memory, the number and the CPU time of its processes have common limits. */
export type ProcessGroup = {
  /** The files that a process writes its id to, to join. */
  readonly doors: readonly string[]
  bound(limits: Limits): void
  /** The number of its processes that the kernel has ended because of the memory limit. */
  outOfMemoryKills(): number
  /** The processes in it now. */
  members(): readonly number[]
  remove(): void
}

/** Creates a group, or uses the existing one of that name. @throws {Error} if this process may not */
export function openGroup({ version, directories }: Hierarchy, name: string): ProcessGroup {
  const paths = CONTROLLERS.map((controller) => join(directories[controller], name))
  const [memory, pids, cpu] = paths as [string, string, string]
  const all = [...new Set(paths)]
  for (const path of all) mkdirSync(path, { recursive: true })
  return {
    doors: all.map((path) => join(path, 'cgroup.procs')),
    bound({ memoryMaxBytes, pidsMax, cpuMax }) {
      const quotaUs = Math.max(1_000, Math.round(cpuMax * CPU_PERIOD_US))
      writeFileSync(join(pids, 'pids.max'), String(pidsMax))
      if (version === 2) {
        writeFileSync(join(memory, 'memory.max'), String(memoryMaxBytes))
        writeIfThere(join(memory, 'memory.swap.max'), '0')
        writeFileSync(join(cpu, 'cpu.max'), `${quotaUs} ${CPU_PERIOD_US}`)
        return
      }
      boundMemory(memory, memoryMaxBytes)
      writeFileSync(join(cpu, 'cpu.cfs_period_us'), String(CPU_PERIOD_US))
      writeFileSync(join(cpu, 'cpu.cfs_quota_us'), String(quotaUs))
    },
    outOfMemoryKills() {
      const file = version === 2 ? 'memory.events' : 'memory.oom_control'
      return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(memory, file), 'utf8'))?.[1] ?? 0)
    },
    members: () => [...new Set(all.flatMap((path) => membersOf(path)))],
    remove() {
      for (const path of all) rmdirSync(path)
    },
  }
}

/** Version 1 requires at each step that the limit of memory is below the limit of memory with swap. The second limit is removed
 * first, so that the former values do not matter. */
function boundMemory(directory: string, maxBytes: number): void {
  const memory = join(directory, 'memory.limit_in_bytes')
  const withSwap = join(directory, 'memory.memsw.limit_in_bytes')
  writeIfThere(withSwap, '-1')
  writeFileSync(memory, String(maxBytes))
  writeIfThere(withSwap, String(maxBytes))
}

function membersOf(directory: string): number[] {
  const text = readFileSync(join(directory, 'cgroup.procs'), 'utf8')
  return text.split('\n').filter(Boolean).map(Number)
}

function writeIfThere(path: string, text: string): void {
  if (existsSync(path)) writeFileSync(path, text)
}

/** The places for groups of this process, the best first: below its own group, whose limits then apply to them too. A place may
 * be forbidden, which only the creation of a group shows.
 * @param mounts the text of /proc/self/mountinfo @param own the text of /proc/self/cgroup */
export function hierarchiesOf(mounts: string, own: string): Hierarchy[] {
  const mounted = mountsOf(mounts)
  // The first group's path is a slash alone.
  const paths = new Map(
    own.split('\n').flatMap((line) => {
      const [, names = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
      return line === '' ? [] : names.split(',').map((name) => [name, path.replace(/\/$/, '')] as const)
    }),
  )
  const found: Hierarchy[] = []
  const unified = mounted.get('')
  const places = (controller: string) => {
    const mount = mounted.get(controller)
    return mount === undefined ? [] : [join(mount, paths.get(controller) ?? ''), mount]
  }
  const [memory, pids, cpu] = CONTROLLERS.map(places) as [string[], string[], string[]]
  // In a container the path may be a path of the machine, which does not exist; the mount is then the container's own group.
  for (const at of [0, 1]) {
    const directories = { memory: memory[at], pids: pids[at], cpu: cpu[at] }
    if (isWhole(directories)) found.push({ version: 1, directories })
  }
  if (unified !== undefined) {
    for (const path of [join(unified, paths.get('') ?? ''), unified])
      found.push({ version: 2, directories: { memory: path, pids: path, cpu: path } })
  }
  return found
}

function isWhole(
  directories: Readonly<Record<Controller, string | undefined>>,
): directories is Readonly<Record<Controller, string>> {
  return CONTROLLERS.every((controller) => directories[controller] !== undefined)
}

/** The mount of each controller of version 1, and the mount of version 2 by an empty name. */
function mountsOf(mountinfo: string): ReadonlyMap<string, string> {
  const mounted = new Map<string, string>()
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ')
    const at = before.split(' ')[4] ?? ''
    const [type, , options = ''] = after.split(' ')
    if (type === 'cgroup2') mounted.set('', at)
    if (type === 'cgroup') for (const option of options.split(',')) mounted.set(option, at)
  }
  return mounted
}

/** Enables the controllers of version 2 in groups below this one. The kernel refuses that for a group with processes, except
 * for the root group. This process then moves into a group of its own, which is enough if it was the only one. */
export function delegate({ version, directories }: Hierarchy, pid: number): void {
  if (version === 1) return
  const root = directories.memory
  const door = join(root, 'cgroup.subtree_control')
  const wanted = CONTROLLERS.map((controller) => `+${controller}`).join(' ')
  try {
    writeFileSync(door, wanted)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
    const own = join(root, 'tidemark-runner')
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'cgroup.procs'), String(pid))
    writeFileSync(door, wanted)
  }
}
