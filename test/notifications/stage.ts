import { sql } from 'drizzle-orm'

import { withScripts } from '../../src/automation/runs/service.ts'
import type { Context } from '../../src/context.ts'
import { openStatePipeline } from '../../src/state-pipeline.ts'
import { openNotifier } from '../../src/monitoring/notifications/outbox/service.ts'
import type { Notifier } from '../../src/monitoring/notifications/outbox/service.ts'
import { newRecipientBody } from '../../src/monitoring/notifications/recipients/schema.ts'
import { createRecipient } from '../../src/monitoring/notifications/recipients/service.ts'
import type { Mail } from '../../src/ports/mail.ts'
import type { Ports } from '../../src/ports/index.ts'
import { openNetwork } from '../../workers/bun/network.ts'
import { contextOf, plantObject } from '../flow/plants.ts'
import { openPorts } from '../hosts/ports.ts'
import type { HandClock } from '../hosts/ports.ts'

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const LINK = 1
const EVENTS = ['opened', 'worsened', 'flapping', 'closed']
/** A device with jobs, whose ids are theirs from here on. */
export const DEVICE = 10
export const JOB = 11
/** The alarm of the first job; those of the others follow. */
export const ALARMS_FROM = 100

/** Notifications with everything real but the clock, and alarms that are entered as the room of alarms would. */
export type Stage = {
  readonly ports: Ports
  readonly clock: HandClock
  readonly context: Context
  readonly logs: readonly string[]
  /** The notifier as it is now; another one once it was opened anew. */
  readonly notifier: Notifier
  /** Makes a recipient to which the alarms of the link go. */
  recipient(body: object, events?: readonly string[]): Promise<number>
  /** Something happens to alarms. */
  enter(...changes: readonly Happening[]): Promise<void>
  /** Something happens to alarms, and the flow hears of it. */
  happen(...changes: readonly Happening[]): Promise<void>
  /** Lets time pass; the notifier does what is due on the way, at its moment. */
  pass(ms: number): Promise<void>
  /** All memory is lost, as when the process ends. */
  reopen(): void
  /** As it was when it was opened. */
  reset(): Promise<void>
  rows<Row>(statement: string): Promise<readonly Row[]>
  close(): Promise<void>
}

export type Happening = {
  readonly kind: string
  readonly state?: 'warning' | 'minor' | 'major'
  /** The job of the alarm, from 0. */
  readonly job?: number
  readonly heldReason?: string
  readonly reason?: string
  /** How far its date is ahead of the clock. */
  readonly aheadMs?: number
}

const SILENT = new Set(['assigned', 'suppressed', 'held', 'recovering', 'closed'])

export type StageOptions = {
  readonly jobs?: number
  readonly mail?: Mail
  readonly database?: (database: Ports['database']) => Ports['database']
  readonly settings?: Partial<Ports['settings']>
}

export async function openStage({
  jobs = 1,
  mail,
  database = (same) => same,
  settings,
}: StageOptions = {}): Promise<Stage> {
  const opened = await openPorts(settings)
  const { clock, logs } = opened
  const plain = opened.ports.database
  const outboundAllow = new Set(['localhost', '127.0.0.1', ...(settings?.outboundAllow ?? [])])
  const base = withScripts({
    ...opened.ports,
    database: database(plain),
    mail: mail ?? opened.ports.mail,
    network: openNetwork({ trustedProxies: 0, outboundAllow }),
    settings: { ...opened.ports.settings, outboundAllow },
  })
  let notifier = openNotifier(base)
  const flowOf = () => openStatePipeline(base, () => notifier.wake())
  let flow = flowOf()
  const ports: Ports = {
    ...base,
    flow: { apply: (all) => flow.apply(all), runDue: () => flow.runDue(), sweep: (id) => flow.sweep(id) },
  }
  await plantObject(plain, { id: DEVICE, type: 'device', path: `/1/${DEVICE}/` })
  for (let job = 0; job < jobs; job++)
    await plantObject(plain, { id: JOB + job, type: 'job', path: `/1/${DEVICE}/${JOB + job}/` })
  await plain.run(sql`insert into users (id, username, password_hash, role, type, fullname, email, phone, language, time_zone,
    version, created_at) values (1, 'admin', '', 'administrator', 'local', '', 'admin@example.org', '', 'en', 'UTC', 1, 0)`)
  const beganAt = clock.at
  let changeId = 0
  const versions = new Map<number, number>()
  const happenOnce = async ({
    kind,
    state = 'major',
    job = 0,
    heldReason,
    reason,
    aheadMs = 0,
  }: Happening) => {
    const [alarmId, objectId, at] = [ALARMS_FROM + job, JOB + job, clock.at + aheadMs]
    const version = (versions.get(alarmId) ?? 0) + 1
    versions.set(alarmId, version)
    if (kind === 'opened')
      await plain.run(sql`insert or replace into alarms (id, object_id, link_id, opened_seq, status, state, worst_state, begin_at,
        reason, message, sticky, maintained, flapping, version) values (${alarmId}, ${objectId}, ${LINK}, ${version}, 'open',
        ${state}, ${state}, ${at}, 'threshold', 'too hot', 0, 0, 0, 1)`)
    else if (kind === 'closed')
      await plain.run(sql`update alarms set status = 'closed', end_at = ${at} where id = ${alarmId}`)
    else await plain.run(sql`update alarms set state = ${state} where id = ${alarmId}`)
    const details = {
      isSilent: SILENT.has(kind) || heldReason !== undefined,
      heldReason: heldReason ?? null,
      reason,
    }
    await plain.run(sql`insert into alarm_changes (id, alarm_id, version, object_id, link_id, at, kind, state, details)
      values (${++changeId}, ${alarmId}, ${version}, ${objectId}, ${LINK}, ${at}, ${kind}, ${state}, ${JSON.stringify(details)})`)
  }
  const enter = async (...changes: readonly Happening[]) => {
    for (const change of changes) await happenOnce(change)
  }
  const reopen = () => {
    notifier = openNotifier(base)
    flow = flowOf()
  }
  return {
    ports,
    clock,
    logs,
    context: contextOf(ports),
    get notifier() {
      return notifier
    },
    async recipient(body, events = EVENTS) {
      const { recipient } = await createRecipient(
        contextOf(ports),
        newRecipientBody.parse({ name: 'ops', ...body }),
      )
      await plain.run(sql`insert or replace into alarm_links (id, object_id, position, covers, min_state, recipient_id, delay_ms,
        recovery_delay_ms, events) values (${LINK}, 1, 0, 'below', 'warning', ${recipient.id}, 0, 0, ${JSON.stringify(events)})`)
      return recipient.id
    },
    enter,
    async happen(...changes) {
      await enter(...changes)
      await flow.runDue()
    },
    async pass(ms) {
      const until = clock.at + ms
      while (notifier.nextAt <= until) {
        clock.at = Math.max(clock.at, notifier.nextAt)
        await notifier.runDue()
        await notifier.sent()
      }
      clock.at = until
    },
    reopen,
    async reset() {
      for (const table of ['alarm_recipients', 'alarm_links', 'alarms', 'alarm_changes', 'notice_progress'])
        await plain.run(sql.raw(`delete from ${table}`))
      clock.at = beganAt
      changeId = 0
      versions.clear()
      reopen()
    },
    rows: <Row>(statement: string) => plain.all<Row>(sql.raw(statement)),
    close: () => opened.close(),
  }
}
