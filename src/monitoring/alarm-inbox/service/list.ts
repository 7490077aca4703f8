import { permissionsOf } from '../../../access/rights/permissions.ts'
import type { Rights } from '../../../access/rights/permissions.ts'
import { rightsOf } from '../../../access/rights/service.ts'
import type { Context } from '../../../context.ts'
import { noSuch } from '../../../lib/errors.ts'
import { decodeNumbers, pageOf } from '../../../lib/paging.ts'
import { parseInstant, timeFormat } from '../../../lib/time.ts'
import type { TimeFormat } from '../../../lib/time.ts'
import { heldReasonOf } from '../../alarms/alarm.ts'
import type { AlarmRow } from '../../alarms/service.ts'
import { notificationsOf } from '../../notifications/outbox/service.ts'
import { reasonsOfAll } from '../../states/service.ts'
import { messageOf } from '../../states/state.ts'
import { writtenPaths } from '../../tree/browse/service.ts'
import type { Reasons } from '../../tree/schema.ts'
import { readTypes } from '../../tree/service.ts'
import { alarmFilterOf, parseAlarmFilter } from '../filter.ts'
import { COMMENTS_MAX, COMMENTS_SHOWN, TOTAL_MAX } from '../schema.ts'
import type { AlarmCommentView, AlarmsBody, AlarmsQuery, AlarmsView, AlarmView } from '../schema.ts'
import * as store from '../store.ts'
import { beginWith } from './conditions.ts'
import type { ListQuery, AlarmCursor } from '../store.ts'
import * as details from '../store/details.ts'
import type { CommentRow, DetailRow, NewComment, PropertyRow, StoredComment } from '../store/details.ts'

/** The query of `GET /alarms` as a body of `POST /alarms`. @throws {Refusal} invalid */
export function bodyOf({ filterDefinition, state, ...query }: AlarmsQuery): AlarmsBody {
  const filter = filterDefinition === undefined ? null : parseAlarmFilter(filterDefinition)
  return { ...query, state: [...state], filterDefinition: filter }
}

/** Alarms of objects that the caller may read, latest first.
 * @param pointer the place of the filter definition in the request
 * @throws {Refusal} invalid */
export async function listAlarms(context: Context, body: AlarmsBody, pointer: string): Promise<AlarmsView> {
  const { database } = context.ports
  const after = body.cursor == null ? null : placeOf(body.cursor)
  const rights = await rightsOf(context)
  const query = queryOf(body, pointer)
  const asked = [rights, query, await store.driverOf(database, rights, query)] as const
  const [places, total] = await Promise.all([
    store.findAlarms(database, asked, { after, limit: body.limit + 1 }),
    store.countAlarms(database, asked, TOTAL_MAX),
  ])
  const { shown, next } = pageOf(places, body.limit, ({ beginAt, id }) => [beginAt, id])
  const items = await viewsOf(
    context,
    shown.map(({ id }) => id),
    COMMENTS_SHOWN,
  )
  return { items, total, nextCursor: next }
}

/** The ids of the latest alarms that match, and whether there are more. @throws {Refusal} invalid */
export async function findAlarmIds(
  context: Context,
  asked: { readonly body: Omit<AlarmsBody, 'limit' | 'cursor'>; readonly pointer: string },
  limit: number,
): Promise<{ ids: readonly number[]; isMore: boolean }> {
  const { database } = context.ports
  const rights = await rightsOf(context)
  const query = queryOf(asked.body, asked.pointer)
  const driver = await store.driverOf(database, rights, query)
  const found = await store.findAlarms(database, [rights, query, driver], { after: null, limit: limit + 1 })
  return { ids: found.slice(0, limit).map(({ id }) => id), isMore: found.length > limit }
}

/** An alarm with all its comments. @throws {Refusal} not_found, also when the caller may not read the object */
export async function readAlarm(context: Context, id: number): Promise<AlarmView> {
  const [view] = await viewsOf(context, [id], COMMENTS_MAX)
  if (!view) throw noSuch('alarm')
  return view
}

function queryOf(body: Omit<AlarmsBody, 'limit' | 'cursor'>, pointer: string): ListQuery {
  const filter = body.filterDefinition ? alarmFilterOf(body.filterDefinition, pointer) : null
  const instantOf = (text: string | null | undefined) => (text == null ? null : parseInstant(text))
  return {
    begin: () => beginWith(filter),
    statuses: [...new Set(body.state)],
    fromAt: instantOf(body.begin),
    untilAt: instantOf(body.end),
    assigneeId: body.assignee ?? null,
  }
}

/** Alarms as the caller sees them, in the order of the ids, without those whose objects the caller may not read. */
async function viewsOf(context: Context, ids: readonly number[], comments: number): Promise<AlarmView[]> {
  const rights = await rightsOf(context)
  const found = await details.readDetails(context.ports.database, ids)
  return shownAs(
    context,
    found.filter((row) => permissionsOf(rights, row).read),
    { rights, comments },
  )
}

/** The answer to a change: the alarm as its commit left it, since another user may have changed it again.
 * @param before the alarm as it was read before, with its object */
export async function writtenView(
  context: Context,
  before: DetailRow,
  { row, assigneeName }: { readonly row: AlarmRow; readonly assigneeName: string | null },
): Promise<AlarmView> {
  const rights = await rightsOf(context)
  const { path: _, terms: __, ...own } = row
  const after = { ...own, assigneeName, sticky: Number(row.sticky), heldReason: heldReasonOf(row) }
  const [view] = await shownAs(context, [{ ...before, ...after }], { rights, comments: COMMENTS_MAX })
  if (!view) throw new Error('No view was made of an alarm.')
  return view
}

/** The views of alarms. The number of statements does not depend on the number of alarms. */
async function shownAs(
  context: Context,
  found: readonly DetailRow[],
  { rights, comments }: { readonly rights: Rights; readonly comments: number },
): Promise<AlarmView[]> {
  if (found.length === 0) return []
  const { database } = context.ports
  const ids = found.map(({ id }) => id)
  const objectIds = [...new Set(found.map(({ objectId }) => objectId))]
  const [paths, properties, said, reasons, notifications] = await Promise.all([
    writtenPaths(
      database,
      found.map(({ path }) => path),
    ),
    details.readPropertiesOf(database, objectIds),
    details.readComments(database, ids, comments),
    reasonsFor(context, found),
    notificationsOf(database, ids),
  ])
  const around = {
    rights,
    paths,
    properties: Map.groupBy(properties, ({ objectId }) => objectId),
    comments: Map.groupBy(said, ({ alarmId }) => alarmId),
    reasons,
    notifications,
    format: timeFormat(context.ports.settings.timeZone),
  }
  return found.map((row) => viewOf(row, around))
}

/** The reasons of open alarms as far as the caller may read them. A job is its own reason. */
async function reasonsFor(
  context: Context,
  rows: readonly DetailRow[],
): Promise<ReadonlyMap<number, Reasons>> {
  const asked = rows
    .filter(({ type, status }) => type !== 'job' && status !== 'closed')
    .map((row) => ({
      id: row.objectId,
      type: row.type,
      name: row.name,
      state: row.objectState,
      isReason: row.isReason === 1,
    }))
  if (asked.length === 0) return new Map()
  const reasons = await reasonsOfAll(context.ports.database, asked)
  const all = [...reasons.values()].flatMap((some) => some.map(({ id }) => id))
  const readable = await readTypes(context, [...new Set(all)])
  return new Map(
    [...reasons].map(([id, some]) => [id, some.filter((reason) => readable.has(reason.id)) as Reasons]),
  )
}

type Around = {
  readonly rights: Rights
  readonly paths: ReadonlyMap<string, string>
  readonly properties: ReadonlyMap<number, readonly PropertyRow[]>
  readonly comments: ReadonlyMap<number, readonly CommentRow[]>
  readonly reasons: ReadonlyMap<number, Reasons>
  readonly notifications: ReadonlyMap<number, AlarmView['notifications']>
  readonly format: TimeFormat
}

function viewOf(row: DetailRow, around: Around): AlarmView {
  const { format } = around
  const shown = (at: number | null) => (at === null ? null : format(at))
  const { id, status, state, worstState, reason, linkId, recipientId, suppressedBy, heldReason } = row
  const comments = around.comments.get(id) ?? []
  return {
    id,
    status,
    state,
    worstState,
    reason,
    linkId,
    recipientId,
    suppressedBy,
    heldReason,
    begin: format(row.beginAt),
    end: shown(row.endAt),
    wellSince: shown(row.wellSinceAt),
    message: messageOf(row, format),
    object: {
      id: row.objectId,
      type: row.type,
      subType: row.subType,
      name: row.name,
      path: around.paths.get(row.path) ?? '',
      permissions: permissionsOf(around.rights, row),
      properties: (around.properties.get(row.objectId) ?? []).map(({ id: propertyId, key, value }) => ({
        id: propertyId,
        key,
        value,
      })),
    },
    assignee: row.assigneeId === null ? null : { userId: row.assigneeId, name: row.assigneeName ?? '' },
    assignedUntil: shown(row.assignedUntilAt),
    sticky: row.sticky === 1,
    reasons: around.reasons.get(row.objectId) ?? [],
    notifications: around.notifications.get(id) ?? { sent: 0, failed: 0 },
    comments: comments.map((comment) => commentOf(comment, format)),
    commentsTotal: comments[0]?.total ?? 0,
    _v: row.version,
  }
}

/** A comment as the interface shows it. */
export function commentOf(
  { id, userId, name, text, createdAt }: NewComment & StoredComment,
  format: TimeFormat,
): AlarmCommentView {
  return { id, userId, name, text, created: format(createdAt) }
}

function placeOf(cursor: string): AlarmCursor {
  const [beginAt, id] = decodeNumbers(cursor, 2)
  return { beginAt, id }
}
