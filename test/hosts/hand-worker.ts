import type { ExecutionContext } from '@cloudflare/workers-types'

import type { Environment } from '../../workers/edge/environment.ts'
import { JobObject as TrueJobObject } from '../../workers/edge/job-object.ts'
import worker, { FlowObject } from '../../workers/edge/main.ts'
import { clock, setClock } from './hand-clock.ts'

export { FlowObject }

/** What moves the hands: how far, and what the platform does on the way. */
export type Moved = {
  readonly to: number
  /** Whether alarms ring when they are due, or all of them late, at the end. */
  readonly alarms: 'in time' | 'late'
  /** The cron trigger that fires at the end; null for none. */
  readonly cron: string | null
}

/** The alarms that objects have set, by the object's id. */
const alarms = new Map<string, number>()

// Runs in workerd: the service with its clock and the platform's alarms moved by hand, for `startEdgeByHand`.
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  async fetch(request: Request, bindings: Environment): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/by-hand/sql') {
      await bindings.DB.prepare(await request.text()).run()
      return new Response(null, { status: 204 })
    }
    if (pathname !== '/by-hand') return worker.fetch(request, bindings)
    const { to, alarms: ring, cron } = (await request.json()) as Moved
    if (ring === 'late') setClock(to)
    for (let due = nextDue(to); due !== null; due = nextDue(to)) {
      if (ring === 'in time') setClock(Math.max(clock.now(), due.at))
      alarms.delete(due.id)
      await (bindings.JOB.get(bindings.JOB.idFromString(due.id)) as unknown as JobObject).ring()
    }
    setClock(to)
    if (cron !== null) await worker.scheduled({ cron }, bindings, NO_CONTEXT)
    return new Response(null, { status: 204 })
  },
}

const NO_CONTEXT = {} as ExecutionContext

function nextDue(until: number): { id: string; at: number } | null {
  const [first] = [...alarms].sort(([, a], [, b]) => a - b)
  return first && first[1] <= until ? { id: first[0], at: first[1] } : null
}

/** The object of a job as it is, except that its alarm is one of those above: workerd would ring by its own clock. */
export class JobObject extends TrueJobObject {
  readonly #id = this.ctx.id.toString()

  constructor(...input: ConstructorParameters<typeof TrueJobObject>) {
    super(...input)
    Object.assign(this.ctx.storage, {
      setAlarm: (at: number) => Promise.resolve(alarms.set(this.#id, at)),
      getAlarm: () => Promise.resolve(alarms.get(this.#id) ?? null),
      deleteAlarm: () => Promise.resolve(alarms.delete(this.#id)),
    })
  }

  ring(): Promise<void> {
    return this.alarm()
  }
}
