import { recorder } from '../../../../access/audit/service.ts'
import type { Context } from '../../../../context.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { Fault } from '../../../../lib/errors.ts'
import type { Write } from '../../../../ports/database.ts'
import { comes, nextAfter } from '../../cron.ts'
import type { ScheduleConfigurationBody } from '../schema.ts'
import * as store from '../store.ts'
import type { ScheduleChange, ScheduleRow } from '../store.ts'

const recorded = recorder('schedule configuration')

const NEVER = 'must be a five-field cron expression that matches at least one time'

type Around = {
  readonly before: ScheduleRow | null
  /** The run configurations of the script. */
  readonly configurationIds: ReadonlySet<number>
  /** The place of the body in the request, as a pointer. */
  readonly at?: string
}

/** The row of a body. A due schedule stays due, unless its times change.
 * @throws {Refusal} invalid for a schedule that never comes, or a configuration of another script */
export function changeOf(
  { ports, caller }: Context,
  body: ScheduleConfigurationBody,
  around: Around,
): ScheduleChange {
  const { name, enabled: isEnabled, cron, runConfigurationId, misfire } = body
  const timeZone = body.timeZone ?? ports.settings.timeZone
  const now = ports.clock.now()
  requirePossible({ cron, timeZone, runConfigurationId }, around, now)
  const { before } = around
  const isSame = before?.isEnabled === isEnabled && before.cron === cron && before.timeZone === timeZone
  const comesAt = isEnabled ? nextAfter(cron, timeZone, now) : null
  const userId = caller.kind === 'user' ? caller.userId : null
  const nextAt = isSame ? before.nextAt : comesAt
  return { name, isEnabled, cron, timeZone, runConfigurationId, misfire, userId, nextAt }
}

function requirePossible(
  { cron, timeZone, runConfigurationId }: Pick<ScheduleChange, 'cron' | 'timeZone' | 'runConfigurationId'>,
  { configurationIds, at = '' }: Around,
  now: number,
): void {
  const isKnown = runConfigurationId === null || configurationIds.has(runConfigurationId)
  const fault = cronFault(cron, timeZone, now)
  const faults: Fault[] = [
    ...(fault ? [{ ...fault, pointer: `${at}${fault.pointer}` }] : []),
    ...(isKnown
      ? []
      : [
          {
            pointer: `${at}/runConfigurationId`,
            message: 'must be the id of a run configuration of this script',
          },
        ]),
  ]
  if (faults.length > 0) throw new Refusal('invalid', 'The schedule is invalid; see errors.', faults)
}

/** The fault of a cron expression that never matches a time; null for any other one. */
export function cronFault(cron: string, timeZone: string, now: number): Fault | null {
  return comes(cron, timeZone, now) ? null : { pointer: '/cron', message: NEVER }
}

/** The writes that add a schedule. */
export function adding(context: Context, scriptId: number, change: ScheduleChange): Write[] {
  const { database, clock } = context.ports
  const now = clock.now()
  const row = { ...change, scriptId, createdAt: now, updatedAt: now }
  return [
    store.insertSchedule(database, row),
    recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(row) }),
  ]
}

/** The writes that replace a schedule. */
export function replacing(context: Context, before: ScheduleRow, after: ScheduleRow): Write[] {
  const told = { objectId: before.id, before: auditFieldsOf(before), after: auditFieldsOf(after) }
  return [store.updateSchedule(context.ports.database, before.id, after), recorded(context, 'update', told)]
}

/** The writes that take a schedule away. */
export function removing(context: Context, row: ScheduleRow): Write[] {
  return [
    store.deleteSchedule(context.ports.database, row.id),
    recorded(context, 'delete', { objectId: row.id, before: auditFieldsOf(row) }),
  ]
}

function auditFieldsOf({ isEnabled: enabled, ...change }: ScheduleChange) {
  const { name, cron, timeZone, runConfigurationId, misfire, userId } = change
  return { name, enabled, cron, timeZone, runConfigurationId, misfire, userId }
}
