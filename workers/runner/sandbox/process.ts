import { setTimeout as sleep } from 'node:timers/promises'

import type { Contained, Exit } from './container.ts'
import { endProcessesOf } from './uids.ts'
import type { ProcessGroup } from './cgroups.ts'
import type { Launched } from './launch.ts'

/** The wait for output after the end of a job, where a process that cannot be ended may keep the pipe open. */
const DRAIN_MS = 2_000
const SWEEP_MS = 5
/** The characters from the end of the output that are kept, as the reason for the failure of a sandbox. */
const TAIL_CHARS = 1_000

export type Ended = Pick<Exit, 'code' | 'reason'>

export type RunningOptions = {
  readonly launched: Launched
  readonly group: ProcessGroup | null
  readonly uid: number | null
  readonly namespaces: boolean
  readonly memoryMaxBytes: number
  readonly onStdout: (bytes: Uint8Array) => void
  readonly onStderr: (bytes: Uint8Array) => void
}

/** Watches the processes of a job until all of them have ended. */
export function follow(
  options: RunningOptions,
): Omit<Contained, 'exited'> & { readonly exited: Promise<Ended> } {
  const { launched, group, uid, namespaces } = options
  const killsBefore = group?.outOfMemoryKills() ?? 0
  const drains = drainsOf(options)
  let isOver = false
  let isKilled = false
  // Signals go to the first process inside and its group: bubblewrap around it would end at once, and all with it.
  const leader = () => (namespaces ? launched.status().firstPid : launched.process.pid)
  return {
    exited: untilNothingIsLeft(),
    terminate() {
      const pid = isOver ? null : leader()
      if (pid !== null) signalTo(-pid, 'SIGTERM')
    },
    kill() {
      if (isOver) return
      isKilled = true
      signalTo(leader() ?? launched.process.pid, 'SIGKILL')
    },
  }

  async function untilNothingIsLeft(): Promise<Ended> {
    const code = await launched.process.exited
    isOver = true
    await endTheRest(options)
    const isSurelyOver = namespaces || uid !== null || group !== null
    await drains.ended(isSurelyOver ? null : DRAIN_MS)
    const { hasRun } = launched.status()
    launched.close()
    const isOutOfMemory = (group?.outOfMemoryKills() ?? 0) > killsBefore
    if (isOutOfMemory) return { code, reason: outOfMemory(options.memoryMaxBytes) }
    if (namespaces && !hasRun && !isKilled)
      throw new Error(`The sandbox could not be created: ${drains.tail()}`)
    return { code, reason: null }
  }
}

/** Ends processes that are no longer below the first process. With namespaces the end of bubblewrap ends
 * them all. */
async function endTheRest({ launched, group, uid, namespaces }: RunningOptions): Promise<void> {
  if (!namespaces) signalTo(-launched.process.pid, 'SIGKILL')
  if (!namespaces && uid !== null) await endProcessesOf(uid)
  if (group !== null) await emptied(group)
}

function outOfMemory(maxBytes: number): string {
  return `The script exceeded the memory limit of ${Math.floor(maxBytes / 1024 / 1024)} MiB.`
}

/** Passes output on as it comes, and keeps the end of the standard error output. */
function drainsOf({ launched, onStdout, onStderr }: RunningOptions) {
  const decoder = new TextDecoder()
  let tail = ''
  const stdout = launched.pipes.stdout.bytes.getReader()
  const stderr = launched.pipes.stderr.bytes.getReader()
  const drain = async (reader: typeof stdout, take: (bytes: Uint8Array) => void) => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) take(read.value)
  }
  const both = Promise.all([
    drain(stdout, onStdout),
    drain(stderr, (bytes) => {
      tail = (tail + decoder.decode(bytes.subarray(-TAIL_CHARS), { stream: true })).slice(-TAIL_CHARS)
      onStderr(bytes)
    }),
  ])
  return {
    tail: () => tail.trim(),
    async ended(withinMs: number | null) {
      if (withinMs !== null) {
        await Promise.race([both, sleep(withinMs)])
        // Output of a process that escaped the kill is dropped.
        await Promise.all([stdout.cancel(), stderr.cancel()])
      }
      await both
    },
  }
}

/** Ends all processes of a group, also those that start meanwhile. */
export async function emptied(group: ProcessGroup): Promise<void> {
  for (let members = group.members(); members.length > 0; members = group.members()) {
    for (const pid of members) signalTo(pid, 'SIGKILL')
    await sleep(SWEEP_MS)
  }
}

/** Sends a signal to a process, or with a negative number to its process group, if there still is one. */
function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
