import type { DurableObjectState, ExecutionContext } from '@cloudflare/workers-types'

import type { Environment } from '../../workers/edge/environment.ts'
import { JobObject as TrueJobObject } from '../../workers/edge/job-object.ts'
import worker, {
  DispatchObject as TrueDispatchObject,
  FlowObject as TrueFlowObject,
} from '../../workers/edge/main.ts'
import { clock, setClock } from './hand-clock.ts'

export { EventsObject } from '../../workers/edge/main.ts'

/** What moves the hands: how far, and what the platform does on the way. */
export type Moved = {
  readonly to: number
  /** Whether alarms ring when they are due, or all of them late, at the end. */
  readonly alarms: 'in time' | 'late'
  /** The cron trigger that fires at the end; null for none. */
  readonly cron: string | null
}

type Ringing = 'JOB' | 'FLOW' | 'DISPATCH'

/** The alarms that objects have set, by the object's id. */
const alarms = new Map<string, { readonly at: number; readonly of: Ringing }>()

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
      const namespace = bindings[due.of]
      await (namespace.get(namespace.idFromString(due.id)) as unknown as { ring(): Promise<void> }).ring()
    }
    setClock(to)
    if (cron !== null) await worker.scheduled({ cron }, bindings, NO_CONTEXT)
    return new Response(null, { status: 204 })
  },
}

const NO_CONTEXT = {} as ExecutionContext

function nextDue(until: number) {
  const [first] = [...alarms].sort(([, a], [, b]) => a.at - b.at)
  return first && first[1].at <= until ? { id: first[0], ...first[1] } : null
}

/** Has an object set the alarms above in place of its own: workerd would ring by its own clock. */
function takeAlarms({ id, storage }: DurableObjectState, of: Ringing): void {
  const key = id.toString()
  Object.assign(storage, {
    setAlarm: (at: number) => {
      if (at <= 0) return Promise.reject(new TypeError('The platform takes no such alarm.'))
      return Promise.resolve(alarms.set(key, { at, of }))
    },
    getAlarm: () => Promise.resolve(alarms.get(key)?.at ?? null),
    deleteAlarm: () => Promise.resolve(alarms.delete(key)),
  })
}

/** The object of a job as it is, except for its alarm. */
export class JobObject extends TrueJobObject {
  constructor(...input: ConstructorParameters<typeof TrueJobObject>) {
    super(...input)
    takeAlarms(this.ctx, 'JOB')
  }

  ring(): Promise<void> {
    return this.alarm()
  }
}

/** The object of the flow as it is, except for its alarm. */
export class FlowObject extends TrueFlowObject {
  constructor(...input: ConstructorParameters<typeof TrueFlowObject>) {
    super(...input)
    takeAlarms(this.ctx, 'FLOW')
  }

  async ring(): Promise<void> {
    await this.alarm()
    await this.sent()
  }
}

/** The object of the dispatch as it is, except for its alarm. */
export class DispatchObject extends TrueDispatchObject {
  constructor(...input: ConstructorParameters<typeof TrueDispatchObject>) {
    super(...input)
    takeAlarms(this.ctx, 'DISPATCH')
  }

  ring(): Promise<void> {
    return this.alarm()
  }
}
