import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { timeFormat } from '../../../lib/time.ts'
import { commit, isForeignKeyViolation } from '../../../ports/database.ts'
import type { RelationColumn } from '../../../ports/databases.ts'
import type { SyncView, TableView } from '../schema.ts'
import { requireSource } from '../service.ts'
import * as store from '../store.ts'
import { forgetSchemas, readSchema } from './connect.ts'

const recorded = recorder('dataSource')

const DIGEST_LENGTH = 16

/** The tables and views in the schema of a data source, by name. @throws {Refusal} as `readSchema` */
export async function listTables({ ports }: Context, id: number): Promise<TableView[]> {
  return [...byTable(await readSchema(ports, id)).values()].flatMap(([first, ...others]) =>
    first
      ? {
          name: first.table,
          kind: first.kind,
          comment: first.tableComment,
          approximateRows: first.tableRows,
          columns: 1 + others.length,
        }
      : [],
  )
}

/** Reads the schema of a data source anew and compares it with the last sync. @throws {Refusal} as `readSchema` */
export async function syncSchema(context: Context, id: number): Promise<SyncView> {
  const { ports } = context
  const { database, clock, settings } = ports
  await requireSource(ports, id)
  forgetSchemas(ports)
  const columns = await readSchema(ports, id)
  const before = await store.readDigests(database, id)
  const digests = await digestsOf(columns)
  const names = Object.keys(digests)
  const changes = {
    added: names.filter((name) => !Object.hasOwn(before, name)),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(digests, name)),
    changed: names.filter((name) => Object.hasOwn(before, name) && before[name] !== digests[name]),
  }
  const syncedAt = clock.now()
  const counts = Object.entries(changes).map(([change, tables]) => [change, tables.length] as const)
  const entry = recorded(context, 'sync', { objectId: id, after: Object.fromEntries(counts) })
  try {
    await commit(database, [store.replaceDigests(database, { dataSourceId: id, digests, syncedAt }), entry])
  } catch (error) {
    // It was deleted meanwhile.
    if (isForeignKeyViolation(error)) await requireSource(ports, id)
    throw error
  }
  return {
    syncedAt: timeFormat(settings.timeZone)(syncedAt),
    tables: names.length,
    columns: columns.length,
    ...changes,
  }
}

async function digestsOf(columns: readonly RelationColumn[]): Promise<Record<string, string>> {
  const digests: [name: string, digest: string][] = []
  for (const [name, ofTable] of byTable(columns)) {
    // The estimate changes with each row.
    const text = JSON.stringify(ofTable.map((column) => ({ ...column, tableRows: null })))
    const digest = await sha256(text)
    digests.push([name, digest.slice(0, DIGEST_LENGTH)])
  }
  return Object.fromEntries(digests)
}

function byTable(columns: readonly RelationColumn[]): Map<string, RelationColumn[]> {
  const tables = new Map<string, RelationColumn[]>()
  for (const column of columns) {
    const known = tables.get(column.table)
    if (known) known.push(column)
    else tables.set(column.table, [column])
  }
  return tables
}
