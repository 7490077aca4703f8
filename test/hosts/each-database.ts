import { afterAll, beforeAll, describe } from 'bun:test'

import type { Context } from '../../src/context.ts'
import { startD1 } from './d1-database.ts'
import { precededBy, followedBy } from './interleaved.ts'
import { administratorOf, openPorts } from './ports.ts'

type Other = () => Promise<unknown>

/** The administrator on one system database, alone and beside another caller. */
export type Callers = {
  readonly context: Context
  /** The administrator whose `nth` commit, by default the first, comes after the work of another caller. */
  readonly after: (other: Other, nth?: number) => Context
  /** The administrator whose first commit is followed by the work of another caller. */
  readonly before: (other: Other) => Context
}

/** Declares tests once on libSQL and once on D1. `callers` is for the time of a test. */
export function onEachDatabase(tests: (callers: () => Callers) => void): void {
  for (const host of ['libSQL', 'D1'] as const) {
    describe(`on ${host}`, () => {
      let callers: Callers
      const closes: (() => Promise<void>)[] = []
      beforeAll(async () => {
        const opened = await openPorts()
        closes.push(() => opened.close())
        let { ports } = opened
        if (host === 'D1') {
          const { database, close } = await startD1()
          closes.push(close)
          ports = { ...ports, database }
        }
        callers = {
          context: administratorOf(ports),
          after: (other, nth) => administratorOf(precededBy(ports, other, nth)),
          before: (other) => administratorOf(followedBy(ports, other)),
        }
      })
      afterAll(async () => {
        for (const close of closes) await close()
      })
      tests(() => callers)
    })
  }
}
