import { audited } from '../../../access/audit/service.ts'
import { permissionsOf } from '../../../access/rights/permissions.ts'
import type { Rights, Right } from '../../../access/rights/permissions.ts'
import { rightsFor, rightsOf } from '../../../access/rights/service.ts'
import { readUsers } from '../../../access/users/service.ts'
import type { Context } from '../../../context.ts'
import { actionResult } from '../../../http/action-results.ts'
import { Refusal, invalidAt, noSuch } from '../../../lib/errors.ts'
import { retryOnConflict } from '../../../lib/retry.ts'
import { parseInstant, timeFormat } from '../../../lib/time.ts'
import { commit } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { AlarmEvent } from '../../alarms/alarm.ts'
import { act } from '../../alarms/service.ts'
import type { AlarmRow } from '../../alarms/service.ts'
import { ACTED_MAX, COMMENTS_MAX } from '../schema.ts'
import type { ActionsBody, ActionsView, AlarmCommentView, AlarmView, AssignBody } from '../schema.ts'
import { countComments, insertComments, isFull, readDetails } from '../store/details.ts'
import type { DetailRow, NewComment, StoredComment } from '../store/details.ts'
import { commentOf, findAlarmIds, writtenView } from './list.ts'

type InboxAction = {
  readonly action: 'assign' | 'comment'
  readonly right: Right
  /** The refusal for an alarm that the caller has the right to change; null if the action is possible. */
  readonly refusalOf: (row: DetailRow) => Refusal | null
  readonly events: readonly AlarmEvent[]
  readonly comment: NewComment | null
  /** The `after` of the audit record. */
  readonly after: object
}

/** Comments on an alarm, open or closed. @throws {Refusal} not_found, conflict when the alarm has the maximum of
 * comments */
export async function commentOnAlarm(context: Context, id: number, text: string): Promise<AlarmCommentView> {
  const inboxAction = commenting(context, text)
  const { comment } = await applyToOne(context, id, inboxAction)
  if (!comment) throw new Error('The database returned no row for a new comment.')
  return commentOf({ ...inboxAction.comment, ...comment }, timeFormat(context.ports.settings.timeZone))
}

/** Assigns an alarm to a user, with or without an end, or unassigns it.
 * @throws {Refusal} not_found, forbidden, alarm_closed, conflict, invalid when the user may not read the object */
export async function assignAlarm(context: Context, id: number, body: AssignBody): Promise<AlarmView> {
  const inboxAction = await assigning(context, body)
  const { before, row } = await applyToOne(context, id, inboxAction)
  return writtenView(context, before, { row, assigneeName: inboxAction.assigneeName })
}

/** Applies one action to many alarms and returns the result for each. @throws {Refusal} invalid */
export async function actOnAlarms(context: Context, body: ActionsBody): Promise<ActionsView> {
  const inboxAction =
    body.action === 'comment' ? commenting(context, body.text) : await assigning(context, body)
  const { ids, isMore } = await whichOf(context, body)
  const { refusals } = await applyTo(context, ids, inboxAction)
  // A call that changes nothing is on record as well.
  if (refusals.size === ids.length) await commit(context.ports.database, [recordOf(context, inboxAction, [])])
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

function commenting(context: Context, text: string) {
  const comment = newComment(context, text)
  return {
    action: 'comment',
    right: 'read',
    refusalOf: () => null,
    events: [commentEvent(comment)],
    comment,
    after: { text },
  } as const satisfies InboxAction
}

function newComment({ ports, caller }: Context, text: string): NewComment {
  return { userId: caller.kind === 'user' ? caller.userId : 0, text, createdAt: ports.clock.now() }
}

function commentEvent({ userId: by, text, createdAt: at }: NewComment): AlarmEvent {
  return { kind: 'comment', by, text, at }
}

async function assigning(
  context: Context,
  body: AssignBody,
): Promise<InboxAction & { readonly assigneeName: string | null }> {
  const { ports, caller } = context
  const now = ports.clock.now()
  const { userId: assigneeId, sticky } = body
  const untilAt = body.until == null ? null : parseInstant(body.until)
  if (untilAt !== null && untilAt <= now) throw invalidAt('/until', 'must be in the future')
  if (untilAt !== null && assigneeId === null) throw invalidAt('/until', 'requires a userId')
  const assignee = assigneeId === null ? null : await requireAssignee(context, assigneeId)
  const by = caller.kind === 'user' ? caller.userId : 0
  const comment = body.comment == null ? null : newComment(context, body.comment)
  const event: AlarmEvent = { kind: 'assignment', at: now, by, assigneeId, untilAt, sticky }
  return {
    action: 'assign',
    right: 'maintain',
    refusalOf(row) {
      if (row.status === 'closed') return new Refusal('alarm_closed', 'The alarm is closed.')
      if (assignee && !permissionsOf(assignee.rights, row).read)
        return invalidAt('/userId', 'must be the id of a user who can read the object')
      return null
    },
    events: comment === null ? [event] : [event, commentEvent(comment)],
    comment,
    after: { assigneeId, untilAt, sticky },
    assigneeName: assignee?.name ?? null,
  }
}

async function requireAssignee(
  context: Context,
  userId: number,
): Promise<{ readonly rights: Rights; readonly name: string }> {
  const [user] = await readUsers(context, [userId])
  // The same answer for an unknown user and for a user without the right, so that it does not reveal which users exist.
  if (!user) throw invalidAt('/userId', 'must be the id of a user who can read the object')
  const rights = await rightsFor(context.ports, { userId, role: user.role })
  return { rights, name: user.fullname || user.username }
}

/** Applies an action to one alarm. @returns the alarm before and after, and its new comment as far as it has one */
async function applyToOne(context: Context, id: number, inboxAction: InboxAction) {
  const { refusals, known, after, comments } = await applyTo(context, [id], inboxAction)
  const refusal = refusals.get(id)
  if (refusal) throw refusal
  const before = known.get(id)
  const row = after.get(id)
  if (!before || !row) throw new Error('An alarm was changed that is not there.')
  return { before, row, comment: comments[0] }
}

type Applied = {
  readonly refusals: ReadonlyMap<number, Refusal>
  /** The alarms before and after the action. */
  readonly known: ReadonlyMap<number, DetailRow>
  readonly after: ReadonlyMap<number, AlarmRow>
  readonly comments: readonly StoredComment[]
}

/** Applies an action to alarms in one commit. */
function applyTo(context: Context, ids: readonly number[], inboxAction: InboxAction): Promise<Applied> {
  // An alarm may get its last comment between the read and the commit.
  return retryOnConflict(isFull, () => tryToApply(context, ids, inboxAction))
}

async function tryToApply(
  context: Context,
  ids: readonly number[],
  inboxAction: InboxAction,
): Promise<Applied> {
  const { ports } = context
  const { database } = ports
  const rights = await rightsOf(context)
  const [rows, counts] = await Promise.all([readDetails(database, ids), countComments(database, ids)])
  const known = new Map(rows.map((row) => [row.id, row]))
  const refusals = new Map<number, Refusal>()
  for (const id of ids) {
    const hasMost = inboxAction.comment !== null && (counts.get(id) ?? 0) >= COMMENTS_MAX
    const refusal = refusalFor(known.get(id), { rights, inboxAction, hasMost })
    if (refusal) refusals.set(id, refusal)
  }
  const left = ids.filter((id) => !refusals.has(id))
  if (left.length === 0) return { refusals, known, after: new Map(), comments: [] }
  const { rows: acted, returned } = await act(database, left, {
    eventsOf: (row) => (inboxAction.action === 'assign' && row.status === 'closed' ? [] : inboxAction.events),
    also: (changed) =>
      writesOf(
        context,
        inboxAction,
        changed.map(({ id }) => id),
      ),
  })
  await ports.flow.runDue()
  const after = new Map(acted.map((row) => [row.id, row]))
  // An alarm may have closed or disappeared between the read and the commit.
  for (const id of left) {
    const row = after.get(id)
    if (!row) refusals.set(id, noSuch('alarm'))
    else if (inboxAction.action === 'assign' && row.status === 'closed')
      refusals.set(id, new Refusal('alarm_closed', 'The alarm is closed.'))
  }
  const [comments] = inboxAction.comment === null ? [[]] : returned
  return { refusals, known, after, comments: (comments ?? []) as readonly StoredComment[] }
}

function writesOf(context: Context, inboxAction: InboxAction, ids: readonly number[]): Write[] {
  const record = recordOf(context, inboxAction, ids)
  const { comment } = inboxAction
  if (comment === null) return [record]
  return [insertComments(context.ports.database, ids, { comment, max: COMMENTS_MAX }), record]
}

function recordOf(context: Context, { action, after }: InboxAction, ids: readonly number[]): Write {
  const [id, ...others] = ids
  const isOne = id !== undefined && others.length === 0
  const objectId = isOne ? id : 'several'
  return audited(context, { action, objectType: 'alarm', objectId, after: isOne ? after : { ids, ...after } })
}

type AlarmActionContext = {
  readonly rights: Rights
  readonly inboxAction: InboxAction
  readonly hasMost: boolean
}

function refusalFor(
  row: DetailRow | undefined,
  { rights, inboxAction, hasMost }: AlarmActionContext,
): Refusal | null {
  const permissions = row && permissionsOf(rights, row)
  if (!row || !permissions?.read) return noSuch('alarm')
  if (!permissions[inboxAction.right])
    return new Refusal('forbidden', `You have no right to ${inboxAction.right} the object of this alarm.`)
  if (hasMost)
    return new Refusal('conflict', `The alarm already has ${COMMENTS_MAX} comments, which is the maximum.`)
  return inboxAction.refusalOf(row)
}
