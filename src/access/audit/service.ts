import type { Context } from '../../context.ts'
import { decodeNumber, pageOf } from '../../lib/paging.ts'
import { parseInstant, timeFormat } from '../../lib/time.ts'
import type { Database, Write } from '../../ports/database.ts'
import { differenceOf } from './plain.ts'
import type { AuditQuery, AuditView } from './schema.ts'
import * as store from './store.ts'
import type { AuditRow, NameInBulk, ObjectName } from './store.ts'

/** An audit entry: the action, the type and id of the object (`update`, `group`, 7), and the versions before and after. */
export type AuditedAction = {
  readonly action: string
  readonly objectType: string
  readonly objectId: ObjectName
  readonly before?: object | null
  readonly after?: object | null
}

/** The write that adds an entry to the audit log; it belongs to the commit of the audited change. */
export function audited(context: Context, audit: AuditedAction): Write {
  return store.insertEntry(context.ports.database, {
    ...frameOf(context),
    objectType: audit.objectType,
    objectId: audit.objectId,
    ...auditedDifference(audit),
  })
}

/** The id of the latest entry; ids only grow. 0 before the first entry. */
export function latestEntryId(database: Database): Promise<number> {
  return store.latestEntryId(database)
}

/** The function that records an action on an object of this type, as `audited` does. */
export function recorder(objectType: string) {
  return (context: Context, action: string, audit: Omit<AuditedAction, 'action' | 'objectType'>): Write =>
    audited(context, { action, objectType, ...audit })
}

/** The audit entry of one of many objects of the same kind. */
export type BulkAuditedAction = Omit<AuditedAction, 'objectType' | 'objectId'> & {
  readonly objectId: NameInBulk
}

/** The write that adds an entry for each of many objects of a kind to the audit log. */
export function auditedAll(
  context: Context,
  objectType: string,
  actions: readonly BulkAuditedAction[],
): Write {
  const entries = actions.map((action) => ({ objectId: action.objectId, ...auditedDifference(action) }))
  return store.insertEntries(context.ports.database, { ...frameOf(context), objectType }, entries)
}

/** The actor of an entry, its time and its address. */
function frameOf({ ports, caller, requestId, request }: Context) {
  return {
    at: ports.clock.now(),
    userId: caller.kind === 'user' ? caller.userId : 0,
    username: caller.kind === 'user' ? caller.username : '',
    address: request ? ports.network.addressOf(request) : '',
    requestId,
  }
}

function auditedDifference({ action, before, after }: Pick<AuditedAction, 'action' | 'before' | 'after'>) {
  const difference = differenceOf(before ?? null, after ?? null)
  return { action, before: JSON.stringify(difference.before), after: JSON.stringify(difference.after) }
}

/** The audit entries, the latest first. @throws {Refusal} invalid for a cursor of another list */
export async function listAudit(
  { ports }: Context,
  query: AuditQuery,
): Promise<{ items: AuditView[]; next: string | null }> {
  const { limit, cursor, begin, end, ...filter } = query
  const rows = await store.listEntries(
    ports.database,
    {
      ...filter,
      fromAt: begin === undefined ? undefined : parseInstant(begin),
      untilAt: end === undefined ? undefined : parseInstant(end),
      belowId: cursor === undefined ? undefined : decodeNumber(cursor),
    },
    limit + 1,
  )
  const { shown, next } = pageOf(rows, limit, ({ id }) => id)
  const format = timeFormat(ports.settings.timeZone)
  return {
    items: shown.map((row) => viewOf(row, format)),
    next,
  }
}

function viewOf(row: AuditRow, format: (at: number) => string): AuditView {
  const { id, at, userId, username, address, requestId, action, objectType, objectId } = row
  return {
    id,
    at: format(at),
    userId,
    username,
    address,
    requestId,
    action,
    objectType,
    objectId,
    before: JSON.parse(row.before) as AuditView['before'],
    after: JSON.parse(row.after) as AuditView['after'],
  }
}
