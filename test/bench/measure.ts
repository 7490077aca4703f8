import { readdir, readFile } from 'node:fs/promises'
import { cpus, release } from 'node:os'

const CLOCK_TICKS_PER_SECOND = 100

/** User and system time that a process has taken, in seconds (proc(5): fields 14 and 15 of `stat`). */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const text = await Bun.file(`/proc/${pid}/stat`).text()
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}

/** CPU time of each thread of a process in ms: as exact as the scheduler has it, where `stat` counts in steps of 10 ms. */
export async function threadTimesOf(pid: number): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>()
  for (const id of await readdir(`/proc/${pid}/task`)) {
    const text = await readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8').catch(() => '')
    times.set(id, Number(text.split(' ')[0]) / 1e6)
  }
  return times
}

/** What threads took between two readings; a thread that has ended meanwhile counts for nothing. */
export function cpuMsBetween(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): number {
  return [...after].reduce((sum, [id, ms]) => sum + Math.max(0, ms - (before.get(id) ?? 0)), 0)
}

/** CPU time of the processes of workerd that this one has started, ms; Linux counts it in steps of 10 ms. */
export async function cpuMsOfWorkerd(): Promise<number> {
  let total = 0
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const [, name, rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? []
    const fields = rest.split(' ')
    if (name !== 'workerd' || Number(fields[1]) !== process.pid) continue
    total += 10 * (Number(fields[11]) + Number(fields[12]))
  }
  return total
}

/** Since the machine was started: the processor time in which it did anything, and of that what its host took away while
 * something wanted to run (proc_stat(5)). */
export async function secondsOfMachine(): Promise<{ readonly busy: number; readonly stolen: number }> {
  const text = await Bun.file('/proc/stat').text()
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (
    /^cpu +(.*)$/m.exec(text)?.[1] ?? ''
  )
    .split(' ')
    .map((ticks) => Number(ticks) / CLOCK_TICKS_PER_SECOND)
  return { busy: user + nice + system + irq + softirq + steal, stolen: steal }
}

/** Memory of a process that is in RAM, in bytes. */
export async function residentBytesOf(pid: number): Promise<number> {
  const text = await Bun.file(`/proc/${pid}/status`).text()
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024
}

/** The middle value; of an even number the upper one; 0 of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

/** The value that this share of all values does not exceed; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

/** When and where this was measured. */
export function machine(): string {
  const [cpu] = cpus()
  return `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} × ${cpu?.model}, Linux ${release()}, Bun ${Bun.version}`
}

/** Rows of equal fields as a table of text. */
export function tableOf(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => String(row[name])))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}

/** A process and all that it has started, directly or not. */
export async function familyOf(pid: number): Promise<readonly number[]> {
  const text = await Bun.file(`/proc/${pid}/task/${pid}/children`)
    .text()
    .catch(() => '')
  const children = text.split(' ').filter(Boolean).map(Number)
  return [pid, ...(await Promise.all(children.map(familyOf))).flat()]
}

/** User and system time of a process and all that it has started, in seconds. */
export async function cpuSecondsOfFamily(pid: number): Promise<number> {
  const times = await Promise.all((await familyOf(pid)).map(cpuSecondsOf))
  return times.reduce((sum, seconds) => sum + seconds, 0)
}
