import { cpuSecondsOfFamily, secondsOfMachine } from './measure.ts'

/** Where load comes from. */
export const LOAD_CORE = '1'

export type Sending = {
  readonly url: string
  /** The server, of which the CPU time is counted. */
  readonly pid: number
  readonly connections: number
  readonly seconds: number
  /** The Lua script with its arguments. */
  readonly script: readonly [path: string, ...args: string[]]
}

export type Sent = {
  readonly good: number
  readonly failed: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuSeconds: number
  readonly othersCores: number
  /** What the host of a virtual machine took away. */
  readonly stolenCores: number
}

/** @throws {RangeError} saying what to install */
export function requireTools(): void {
  for (const tool of ['wrk', 'taskset', 'chrt']) {
    if (Bun.which(tool) === null)
      throw new RangeError(`${tool} is missing. On Debian: apt-get install wrk util-linux`)
  }
}

/** Sends requests in a closed loop from a core of its own. @throws {Error} with what wrk printed when it fails */
export async function wrk({ url, pid, connections, seconds, script }: Sending): Promise<Sent> {
  const before = await cpuSecondsOfFamily(pid)
  const machineBefore = await secondsOfMachine()
  const [path, ...args] = script
  const child = Bun.spawn(
    ['taskset', '-c', LOAD_CORE, 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s']
      .concat(['-s', path, url, '--'])
      .concat(args),
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const text = await new Response(child.stdout).text()
  await child.exited
  const result = /^RESULT (.*)$/m.exec(text)?.[1]
  if (result === undefined) throw new Error(`wrk did not end well:\n${text}`)
  const {
    requests = 0,
    failed = 0,
    durationUs = 1,
    p50Us = 0,
    p99Us = 0,
  } = JSON.parse(result) as Record<string, number>
  const cpuSeconds = (await cpuSecondsOfFamily(pid)) - before
  const loadSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6
  const machine = await secondsOfMachine()
  const othersSeconds = machine.busy - machineBefore.busy - cpuSeconds - loadSeconds
  return {
    good: requests - failed,
    failed,
    perSecond: (requests - failed) / (durationUs / 1e6),
    p50Ms: p50Us / 1000,
    p99Ms: p99Us / 1000,
    cpuSeconds,
    othersCores: Math.max(0, othersSeconds / seconds),
    stolenCores: (machine.stolen - machineBefore.stolen) / seconds,
  }
}
