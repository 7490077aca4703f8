import { audited } from '../../../access/audit/service.ts'
import { permissionsOf } from '../../../access/rights/permissions.ts'
import type { Rights, Right } from '../../../access/rights/permissions.ts'
import { rightsFor, rightsOf } from '../../../access/rights/service.ts'
import { readUsers } from '../../../access/users/service.ts'
import type { Context } from '../../../context.ts'
import { actionResult } from '../../../http/action-results.ts'
import { Refusal, invalidAt } from '../../../lib/errors.ts'
import { parseInstant, timeFormat } from '../../../lib/time.ts'
import { commit } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { AlarmEvent } from '../../alarms/alarm.ts'
import { act } from '../../alarms/service.ts'
import { ACTED_MAX, COMMENTS_MAX } from '../schema.ts'
import type { ActionsBody, ActionsView, AlarmCommentView, AlarmView, AssignBody } from '../schema.ts'
import { countComments, insertComments, readComments, readDetails } from '../store/details.ts'
import type { DetailRow } from '../store/details.ts'
import { commentOf, findAlarmIds, readAlarm } from './list.ts'

type InboxAction = {
  readonly action: 'assign' | 'comment'
  readonly right: Right
  /** The refusal for an alarm that the caller has the right to change; null if the action is possible. */
  readonly refusalOf: (row: DetailRow) => Refusal | null
  readonly events: readonly AlarmEvent[]
  readonly comment: string | null
  /** The `after` of the audit record. */
  readonly after: object
}

/** Comments on an alarm, open or closed. @throws {Refusal} not_found, conflict when the alarm has the maximum of
 * comments */
export async function commentOnAlarm(context: Context, id: number, text: string): Promise<AlarmCommentView> {
  await applyToOne(context, id, commenting(context, text))
  const { database, settings } = context.ports
  const [comment] = await readComments(database, [id], 1)
  if (!comment) throw new Refusal('not_found', 'There is no such alarm.')
  return commentOf(comment, timeFormat(settings.timeZone))
}

/** Assigns an alarm to a user, with or without an end, or unassigns it.
 * @throws {Refusal} not_found, forbidden, alarm_closed, conflict, invalid when the user may not read the object */
export async function assignAlarm(context: Context, id: number, body: AssignBody): Promise<AlarmView> {
  await applyToOne(context, id, await assigning(context, body))
  return readAlarm(context, id)
}

/** Applies one action to many alarms and returns the result for each. @throws {Refusal} invalid */
export async function actOnAlarms(context: Context, body: ActionsBody): Promise<ActionsView> {
  const deed = body.action === 'comment' ? commenting(context, body.text) : await assigning(context, body)
  const { ids, isMore } = await whichOf(context, body)
  const refusals = await applyTo(context, ids, deed)
  // A call that changes nothing is on record as well.
  if (refusals.size === ids.length) await commit(context.ports.database, [recordOf(context, deed, [])])
  return {
    items: ids.map((id) => actionResult(id, refusals.get(id))),
    isMore,
  }
}

async function whichOf(context: Context, { ids, filter }: ActionsBody) {
  if (ids) return { ids: [...new Set(ids)], isMore: false }
  const body = filter ?? { state: [...UNCLOSED] }
  return findAlarmIds(context, { body, pointer: '/filter/filterDefinition' }, ACTED_MAX)
}

const UNCLOSED = ['open', 'assigned'] as const

function commenting(context: Context, text: string): InboxAction {
  return {
    action: 'comment',
    right: 'read',
    refusalOf: () => null,
    events: [commentEvent(context, text)],
    comment: text,
    after: { text },
  }
}

function commentEvent({ ports, caller }: Context, text: string): AlarmEvent {
  const by = caller.kind === 'user' ? caller.userId : 0
  return { kind: 'comment', by, text, at: ports.clock.now() }
}

async function assigning(context: Context, body: AssignBody): Promise<InboxAction> {
  const { ports, caller } = context
  const now = ports.clock.now()
  const { userId: assigneeId, sticky } = body
  const untilAt = body.until == null ? null : parseInstant(body.until)
  if (untilAt !== null && untilAt <= now) throw invalidAt('/until', 'must be in the future')
  if (untilAt !== null && assigneeId === null) throw invalidAt('/until', 'requires a userId')
  const rights = assigneeId === null ? null : await rightsOfUser(context, assigneeId)
  const by = caller.kind === 'user' ? caller.userId : 0
  const comment = body.comment ?? null
  const event: AlarmEvent = { kind: 'assignment', at: now, by, assigneeId, untilAt, sticky }
  return {
    action: 'assign',
    right: 'maintain',
    refusalOf(row) {
      if (row.status === 'closed') return new Refusal('alarm_closed', 'The alarm is closed.')
      if (rights && !permissionsOf(rights, row).read)
        return invalidAt('/userId', 'must be the id of a user who can read the object')
      return null
    },
    events: comment === null ? [event] : [event, commentEvent(context, comment)],
    comment,
    after: { assigneeId, untilAt, sticky },
  }
}

async function rightsOfUser(context: Context, userId: number): Promise<Rights> {
  const [user] = await readUsers(context, [userId])
  // The same answer for an unknown user and for a user without the right, so that it does not reveal which users exist.
  if (!user) throw invalidAt('/userId', 'must be the id of a user who can read the object')
  return rightsFor(context.ports, { userId, role: user.role })
}

async function applyToOne(context: Context, id: number, deed: InboxAction): Promise<void> {
  const refusal = (await applyTo(context, [id], deed)).get(id)
  if (refusal) throw refusal
}

/** Applies an action to alarms in one commit. @returns the refusals, by alarm id */
async function applyTo(
  context: Context,
  ids: readonly number[],
  deed: InboxAction,
): Promise<ReadonlyMap<number, Refusal>> {
  const { ports } = context
  const { database } = ports
  const rights = await rightsOf(context)
  const [rows, comments] = await Promise.all([readDetails(database, ids), countComments(database, ids)])
  const known = new Map(rows.map((row) => [row.id, row]))
  const refusals = new Map<number, Refusal>()
  for (const id of ids) {
    const isFull = deed.comment !== null && (comments.get(id) ?? 0) >= COMMENTS_MAX
    const refusal = refusalFor(known.get(id), { rights, deed, isFull })
    if (refusal) refusals.set(id, refusal)
  }
  const left = ids.filter((id) => !refusals.has(id))
  if (left.length === 0) return refusals
  const after = await act(database, left, {
    eventsOf: (row) => (deed.action === 'assign' && row.status === 'closed' ? [] : deed.events),
    also: (changed) =>
      writesOf(
        context,
        deed,
        changed.map(({ id }) => id),
      ),
  })
  await ports.flow.runDue()
  const isThere = new Map(after.map((row) => [row.id, row]))
  // An alarm may have closed or disappeared between the read and the commit.
  for (const id of left) {
    const row = isThere.get(id)
    if (!row) refusals.set(id, missing())
    else if (deed.action === 'assign' && row.status === 'closed')
      refusals.set(id, new Refusal('alarm_closed', 'The alarm is closed.'))
  }
  return refusals
}

function writesOf(context: Context, deed: InboxAction, ids: readonly number[]): Write[] {
  const { ports, caller } = context
  const userId = caller.kind === 'user' ? caller.userId : 0
  const record = recordOf(context, deed, ids)
  if (deed.comment === null) return [record]
  const comment = { userId, text: deed.comment, createdAt: ports.clock.now() }
  return [insertComments(ports.database, ids, comment), record]
}

function recordOf(context: Context, { action, after }: InboxAction, ids: readonly number[]): Write {
  const [id, ...others] = ids
  const isOne = id !== undefined && others.length === 0
  const objectId = isOne ? id : 'several'
  return audited(context, { action, objectType: 'alarm', objectId, after: isOne ? after : { ids, ...after } })
}

type AlarmActionContext = { readonly rights: Rights; readonly deed: InboxAction; readonly isFull: boolean }

function refusalFor(
  row: DetailRow | undefined,
  { rights, deed, isFull }: AlarmActionContext,
): Refusal | null {
  const permissions = row && permissionsOf(rights, row)
  if (!row || !permissions?.read) return missing()
  if (!permissions[deed.right])
    return new Refusal('forbidden', `You have no right to ${deed.right} the object of this alarm.`)
  if (isFull)
    return new Refusal('conflict', `The alarm already has ${COMMENTS_MAX} comments, which is the maximum.`)
  return deed.refusalOf(row)
}

function missing(): Refusal {
  return new Refusal('not_found', 'There is no such alarm.')
}
