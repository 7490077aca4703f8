import { expect, test } from 'bun:test'

import type { Ports } from '../../src/ports/index.ts'
import { Receiver } from './receiver.ts'
import type { Got } from './receiver.ts'
import { openStage, SECRET } from './stage.ts'
import type { Stage } from './stage.ts'

const MINUTE_MS = 60_000
const STEPS_MAX = 200

class Died extends Error {}

/** A database that is lost before or after its n-th commit, as when the process ends there. What dies while it reads
 * comes to the same as what dies before it commits. */
function mortal(database: Ports['database'], death: { in: number; after: boolean }): Ports['database'] {
  const step = async (run: () => Promise<unknown>) => {
    if (--death.in === 0 && !death.after) throw new Died('before a step')
    const result = await run()
    if (death.in === 0) throw new Died('after a step')
    return result
  }
  return new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const call = value.bind(target) as (...input: unknown[]) => Promise<unknown>
      if (name === 'batch') return (...input: unknown[]) => step(() => call(...input))
      return call
    },
  })
}

const CHANGES = [
  [{ kind: 'opened' }, { kind: 'opened', job: 1 }],
  [{ kind: 'worsened' }, { kind: 'assigned', job: 1 }],
  [{ kind: 'closed' }, { kind: 'unassigned', job: 1 }],
  [{ kind: 'closed', job: 1 }],
] as const

/** What every run comes to, whatever happens on the way: job and event. */
const ALL = ['11 opened', '12 opened', '11 worsened', '11 closed', '12 again', '12 closed']

type Alarms = readonly { event: string; object: { id: number } }[]

function alarmsOf({ json }: Got): Alarms {
  return (json['data'] as { alarms: Alarms }).alarms
}

/** Goes on as a supervisor would: after each death everything is opened anew. */
async function living(stage: Stage, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      for (let cause: unknown = error; !(cause instanceof Died); cause = cause.cause)
        if (!(cause instanceof Error)) throw error
      stage.reopen()
    }
  }
}

test.each([
  ['before', false],
  ['after', true],
] as const)(
  'a death %s any step loses nothing, and tells nothing twice but under the same key',
  async (_, after) => {
    const receiver = new Receiver()
    const death = { in: 0, after }
    const stage = await openStage({ jobs: 2, database: (database) => mortal(database, death) })
    let steps = 0
    let repeated = 0
    try {
      for (let at = 1; at < STEPS_MAX; at++) {
        death.in = 0
        await stage.reset()
        await stage.recipient({ type: 'webhook', target: { url: receiver.url, secret: SECRET } })
        receiver.take()
        death.in = at
        for (const changes of CHANGES) {
          await stage.enter(...changes)
          await living(stage, () => stage.ports.flow.runDue())
          await living(stage, () => stage.pass(2 * MINUTE_MS))
        }
        const byKey = Map.groupBy(receiver.take(), ({ headers }) => headers.get('webhook-id'))
        const messages = [...byKey.values()]
        for (const same of messages) {
          expect(new Set(same.map(({ text }) => text)).size).toBe(1)
          if (same.length > 1) repeated++
        }
        const told = messages.flatMap(([first]) => (first ? alarmsOf(first) : []))
        const words = told.map(({ event, object }) => `${object.id} ${event}`)
        expect({ at, words: words.toSorted() }).toEqual({ at, words: ALL.toSorted() })
        // It lived to the end: there are no more steps.
        if (death.in > 0) break
        steps++
      }
    } finally {
      await Promise.all([stage.close(), receiver.close()])
    }
    expect(steps).toBeGreaterThan(12)
    expect(steps).toBeLessThan(STEPS_MAX - 1)
    // Only who dies between telling and noting that it was told tells it again.
    expect(repeated > 0).toBe(!after)
  },
  180_000,
)
