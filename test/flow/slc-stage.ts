import { sql } from 'drizzle-orm'

import type { Context } from '../../src/context.ts'
import { openStatePipeline } from '../../src/state-pipeline.ts'
import type { OpenStatePipeline } from '../../src/state-pipeline.ts'
import type { Log } from '../../src/ports/log.ts'
import { revaluationBody } from '../../src/monitoring/revaluations/schema.ts'
import { createRevaluation } from '../../src/monitoring/revaluations/service.ts'
import type { ObjectName } from '../../src/monitoring/revaluations/service.ts'
import {
  createSlc,
  listPeriods,
  readSlc,
  readSlcHistory,
  recalculatePeriods,
} from '../../src/monitoring/slcs/service.ts'
import { periodsQuery, recalculationBody, slcBody } from '../../src/monitoring/slcs/schema.ts'
import { childrenBody, sloBody } from '../../src/monitoring/slos/schema.ts'
import { createSlo, updateChildren } from '../../src/monitoring/slos/service.ts'
import type { LinkingType } from '../../src/monitoring/slos/schema.ts'
import { stateHistoryQuery } from '../../src/monitoring/state-history/schema.ts'
import type { Database } from '../../src/ports/database.ts'
import type { Ports } from '../../src/ports/index.ts'
import type { State } from '../../src/domain/state.ts'
import { crossing } from './transition.ts'
import { openPorts } from '../hosts/ports.ts'
import type { HandClock } from '../hosts/ports.ts'

/** A database of its own, or another one, and stages on it.
 * @param around puts something in place of the database */
export async function openSlcStage(around: (database: Database) => Database = (database) => database) {
  const opened = await openPorts({ timeZone: 'Europe/Zurich' })
  const database = around(opened.ports.database)
  return {
    newStage: () => new SlcStage({ ...opened.ports, database }, opened.clock),
    close: () => opened.close(),
  }
}

/** Service level objects over one job each, containers over them, and a clock that is moved by hand. */
export class SlcStage {
  readonly clock: HandClock
  readonly context: Context
  readonly #database: Database
  readonly #log: Log
  #flow: OpenStatePipeline
  readonly #told = new Map<number, { seq: number; state: State }>()
  /** Where all of it is. */
  group = 0

  constructor(ports: Ports, clock: HandClock) {
    this.clock = clock
    this.#database = ports.database
    const caller = {
      kind: 'user',
      userId: 1,
      username: 'admin',
      role: 'administrator',
      sessionHash: null,
    } as const
    this.#log = ports.log
    this.#flow = this.#openFlow()
    this.context = { ports: { ...ports, flow: this.#flow }, requestId: 'slcs', caller }
  }

  /** Enters a revaluation, of a service level object where only an id says of what. @returns its id */
  async revalue(of: number | ObjectName, begin: string, end: string, more: object = {}): Promise<number> {
    const object = typeof of === 'number' ? ({ type: 'slo', id: of } as const) : of
    const body = revaluationBody.parse({ begin, end, ...more })
    return (await createRevaluation(this.context, object, body)).revaluation.id
  }

  /** When the flow wants to be woken; null for never. */
  get armedAt(): number | null {
    return Number.isFinite(this.#flow.nextAt) ? this.#flow.nextAt : null
  }

  #openFlow(): OpenStatePipeline {
    return openStatePipeline({ database: this.#database, clock: this.clock, log: this.#log })
  }

  /** Another process takes over, with what the database knows. */
  restart(): void {
    this.#flow = this.#openFlow()
    Object.assign(this.context.ports, { flow: this.#flow })
  }

  /** A group with a service level object that is as its job. @returns the job with its device, and the object */
  async newSlo(): Promise<{ readonly job: number; readonly slo: number; readonly device: number }> {
    await this.#plant()
    const device = await this.#object('device', this.group)
    const job = await this.#object('job', device)
    await this.#database.run(
      sql`insert into states (object_id, seq, state, since_at) values (${job}, 0, 'ok', 0)`,
    )
    const { slo } = await createSlo(this.context, this.group, sloBody.parse({ name: 'slo' }))
    await this.link('slo', slo.id, [job])
    return { job, slo: slo.id, device }
  }

  async newSlc(body: object, slos: readonly number[]): Promise<number> {
    const { slc } = await createSlc(
      this.context,
      await this.#plant(),
      slcBody.parse({ name: 'slc', ...body }),
    )
    await this.link('slc', slc.id, slos)
    return slc.id
  }

  async link(type: LinkingType, id: number, children: readonly number[]): Promise<void> {
    const { items } = childrenBody.parse({ items: children.map((child) => ({ id: child })) })
    await updateChildren(this.context, { type, id }, { items, mode: 'replace', ifMatch: null })
  }

  /** A job changes at an instant, and the flow hears of it now or then, whichever is later. */
  async tell(job: number, at: number, to: State): Promise<void> {
    this.clock.at = Math.max(this.clock.at, at)
    const { seq, state: from } = this.#told.get(job) ?? { seq: 0, state: 'ok' as const }
    this.#told.set(job, { seq: seq + 1, state: to })
    const change = { seq: seq + 1, at, detectedAt: this.clock.at, from, to }
    await this.context.ports.flow.apply([crossing(job, change)])
  }

  async wake(at: number): Promise<void> {
    this.clock.at = at
    do await this.context.ports.flow.runDue()
    while (this.armedAt !== null && this.armedAt <= at)
  }

  /** Wakes whenever the flow has asked for it, up to an instant. */
  async wakeUntil(at: number): Promise<void> {
    while (this.armedAt !== null && this.armedAt <= at) await this.wake(this.armedAt)
    this.clock.at = at
  }

  async valuesOf(slc: number) {
    return (await readSlc(this.context, slc)).slc.values
  }

  /** The changes of a container's state: when, to what, why, and because of which child. */
  async changesOf(
    slc: number,
    recalc = false,
  ): Promise<readonly [at: string, to: State, reason: string, cause: number | null][]> {
    const query = { ...stateHistoryQuery.parse({ timestamp_begin: '2020-01-01T00:00:00Z' }), recalc }
    const { transitions } = await readSlcHistory(this.context, slc, query)
    return transitions.map(({ timestamp, to, reason, cause }) => [timestamp, to, reason, cause?.id ?? null])
  }

  async periodsOf(slc: number) {
    return (await listPeriods(this.context, slc, periodsQuery.parse({}))).items
  }

  recalculate(slc: number, begin: string, end: string) {
    const body = recalculationBody.parse({ begin, end, reason: 'the meter was wrong' })
    return recalculatePeriods(this.context, slc, body)
  }

  async stateOf(id: number): Promise<State | undefined> {
    const [row] = await this.#database.all<{ state: State }>(
      sql`select state from states where object_id = ${id}`,
    )
    return row?.state
  }

  async #plant(): Promise<number> {
    this.group ||= await this.#object('group', 1)
    return this.group
  }

  async #object(type: string, parent: number): Promise<number> {
    const [row] = await this.#database.all<{ id: number }>(sql`
      insert into objects (type, sub_type, name, name_folded, parent_id, path, is_template, instance_type, collector_id,
        version, created_at)
      values (${type}, ${type}, ${type}, ${type}, ${parent}, ${crypto.randomUUID()}, 0, 'none', 0, 1, 0) returning id`)
    const id = row?.id ?? 0
    await this.#database.run(sql`
      update objects set path = (select path from objects p where p.id = ${parent}) || ${id} || '/' where id = ${id}`)
    return id
  }
}
