import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Means } from '../../workers/runner/sandbox/level.ts'
import { jobIn, openStage } from './sandbox-stage.ts'
import type { Stage } from './sandbox-stage.ts'
import { EVERY_FAULT } from '../faults/bounds.ts'
import { until } from '../until.ts'

/** Attempts of jobs to outlive their end; each sleeps for a time that is its mark. */
const ESCAPES: readonly ((mark: string) => string)[] = [
  (mark) => `sleep ${mark} & sleep ${mark} & wait`,
  (mark) => `setsid sleep ${mark} & sleep ${mark}`,
  (mark) => `(setsid sh -c "(sleep ${mark} &) & sleep ${mark}" &) ; sleep ${mark}`,
  (mark) => `trap '' TERM; sleep ${mark}; sleep ${mark}`,
  (mark) =>
    `trap '' TERM HUP INT; setsid sh -c "trap '' TERM; sleep ${mark}; sleep ${mark}" & wait; sleep ${mark}`,
  (mark) => `nohup setsid sleep ${mark} >/dev/null 2>&1 & true`,
  (mark) => `while :; do setsid sleep ${mark} & sleep 0.01; done`,
  (mark) => `exec setsid -f sleep ${mark}`,
]

const ENDINGS = ['terminate', 'kill', 'both'] as const

/** Levels of the ladder from which on a job's end is that of all its processes. */
const LEVELS: readonly { readonly title: string; readonly without: Means[]; readonly runs: number }[] = [
  { title: 'with all that the machine has', without: [], runs: EVERY_FAULT ? 500 : 120 },
  { title: 'without namespaces', without: ['namespaces'], runs: 12 },
  {
    title: 'with a user of its own alone',
    without: ['namespaces', 'landlock', 'cgroups', 'rooms', 'seccomp'],
    runs: 12,
  },
]

describe.each(LEVELS)(
  'of jobs that fork, change sessions and ignore SIGTERM, $title',
  ({ without, runs }) => {
    let stage: Stage

    beforeAll(async () => {
      stage = await openStage({ without: new Set(without), limits: { pidsMax: 64 } })
    })

    afterAll(() => stage.close())

    test(`none is left once ${runs} of them are over`, async () => {
      const { isolation } = stage.sandbox
      if (isolation === 'none') {
        expect(stage.sandbox.missing.join()).toContain('no separate user')
        return
      }
      const left: string[] = []
      const seen = new Set<number>()
      const one = async (run: number) => {
        const mark = `${50_000 + run}.${process.pid}`
        const escape = ESCAPES[run % ESCAPES.length]?.(mark) ?? ''
        const ending = ENDINGS[run % ENDINGS.length]
        const running = await stage.sandbox.start({
          ...jobIn('/', ['/bin/sh', '-c', escape]),
          writable: [],
          onStdout() {},
          onStderr() {},
        })
        const begun = await occurs(
          () => processesOf(mark).some(({ command }) => command.startsWith('sleep')),
          running.exited,
        )
        if (begun) seen.add(run)
        if (ending !== 'kill') running.terminate()
        if (ending !== 'terminate' || escape.includes("trap ''")) running.kill()
        const timer = ending === 'terminate' ? setTimeout(() => running.kill(), 500) : undefined
        await running.exited
        clearTimeout(timer)
        left.push(...processesOf(mark).map(({ command }) => command))
      }
      for (let run = 0; run < runs; run += 2) await Promise.all([one(run), one(run + 1)])
      expect(left).toEqual([])
      // Those that end by themselves may be over before anybody looks.
      expect(seen.size).toBeGreaterThan(runs / 2)
      // A child that has just ended is one until the runtime has heard of it.
      await until(() => zombiesOf(process.pid).length === 0)
    }, 180_000)
  },
)

test('K4: where nothing is in the way one does stay, so that none means something', async () => {
  const stage = await openStage({ demand: 'off' })
  const mark = `60000.${process.pid}`
  const start = { ...jobIn('/', ['/bin/sh', '-c', `setsid -f sleep ${mark}; sleep 0.1`]), writable: [] }
  await (
    await stage.sandbox.start({ ...start, onStdout() {}, onStderr() {} })
  ).exited
  const left = processesOf(mark)
  for (const { pid } of left) process.kill(pid, 'SIGKILL')
  await stage.close()
  expect(left.length).toBe(1)
})

test('orphans inside are waited for: none stays as a zombie', async () => {
  const stage = await openStage()
  const orphans =
    'for i in 1 2 3 4 5; do (sleep 0.01 & ) ; done; sleep 0.3; cat /proc/[0-9]*/stat | cut -d" " -f3 | sort | uniq -c'
  const ran = await stage.shell(orphans)
  await stage.close()
  expect(ran.stdout).not.toContain('Z')
  expect(ran.stdout).toContain('S')
})

test('killed right after its start, a job is over as well', async () => {
  const stage = await openStage()
  for (let waitMs = 0; waitMs < 30; waitMs++) {
    const mark = `${70_000 + waitMs}.${process.pid}`
    const running = await stage.sandbox.start({
      ...jobIn('/', ['sleep', mark]),
      writable: [],
      onStdout() {},
      onStderr() {},
    })
    await Bun.sleep(waitMs)
    running.terminate()
    running.kill()
    await running.exited
    expect(processesOf(mark)).toEqual([])
  }
  await stage.close()
}, 180_000)

async function occurs(isSo: () => boolean, ended: Promise<unknown>): Promise<boolean> {
  let isOver = false
  const over = () => (isOver = true)
  ended.then(over, over)
  for (let tries = 0; tries < 4_000 && !isOver; tries++) {
    if (isSo()) return true
    await Bun.sleep(5)
  }
  return isSo()
}

/** Processes with a word in their command line; zombies have none. */
function processesOf(word: string): { pid: number; command: string }[] {
  return pids().flatMap((pid) => {
    const command = readOf(pid, 'cmdline').replaceAll('\0', ' ')
    return command.includes(word) ? [{ pid, command }] : []
  })
}

function zombiesOf(parent: number): number[] {
  return pids().filter((pid) => readOf(pid, 'stat').includes(`) Z ${parent} `))
}

const pids = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

function readOf(pid: number, name: string): string {
  try {
    return readFileSync(join('/proc', String(pid), name), 'utf8')
  } catch {
    return ''
  }
}
