import { idsOf } from '../../../access/rights/permissions.ts'
import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { commit } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { cleanUp } from '../../../ports/log.ts'
import type { RestoreHooks } from '../hooks.ts'
import { heardOf, stageRows } from '../store/refill.ts'
import { addStaged, findPresent, findValues, rootCreatedAt } from '../store/partial.ts'
import { dropRun } from '../store/snapshot.ts'
import { tableCalled } from '../store/tables.ts'
import type { Reference, Table } from '../store/tables.ts'
import { inParts, linesAgain, sectionsOf } from './restore.ts'
import type { ArchiveSource } from './restore.ts'
import { forHere, reseal } from './secrets.ts'

const OBJECTS_MAX = 10_000

/** The rows of a backup that belong to restored objects. */
export type BackupPart = {
  readonly objects: readonly { readonly id: number; readonly type: string; readonly name: string }[]
  readonly dropped: readonly Dropped[]
  /** How many rows of each table. */
  readonly rows: ReadonlyMap<string, number>
}

type Dropped = { readonly table: string; readonly objectId: number; readonly detail: string }

type ObjectCells = {
  readonly id: number
  readonly type: string
  readonly name: string
  readonly parentId: number | null
  readonly path: string
}

/** Brings deleted objects back, each with everything below it that is not there: under the numbers that they had, with
 * their rows. Rows with references to deleted rows are left out and reported.
 * @throws {Refusal} invalid for objects that the backup does not have, conflict where all of them exist, for a backup of another installation, where
 * what was above is gone as well, and for more than 10,000 objects */
export async function restoreObjects(
  context: Context,
  source: ArchiveSource,
  {
    ids,
    dryRun,
    withoutHistories,
  }: { readonly ids: readonly number[]; readonly dryRun: boolean; readonly withoutHistories: boolean },
  hooks: RestoreHooks,
): Promise<BackupPart> {
  const { ports } = context
  const { database, clock } = ports
  const found = await collect(ports, source, ids)
  if (found.objects.length === 0)
    throw new Refusal(
      'conflict',
      'Nothing to restore: these objects exist, with everything below them. Only deleted objects can be restored.',
    )
  if (!source.contents.header.hasHistories && !withoutHistories)
    throw new Refusal(
      'conflict',
      'The backup has no histories: the objects would come back without values, states and alarms. Restore them from a backup with histories, or pass withoutHistories=true.',
    )
  const run = crypto.randomUUID()
  const gathering = new StagedRows(ports, source, run, found.paths)
  try {
    await gathering.gather()
    const part = { objects: found.objects, dropped: gathering.dropped, rows: gathering.rows }
    if (dryRun) {
      const audit = { action: 'try to restore', objectType: 'backup', objectId: source.contents.ended.chain }
      await commit(database, [audited(context, { ...audit, after: { objects: ids } })])
      return part
    }
    const added = {
      sections: gathering.sections,
      ids: [...found.paths.keys()],
      parents: found.parents,
      at: clock.now(),
    }
    await commit(database, [...addStaged(database, run, added), ...entriesOf(context, found.objects)])
  } finally {
    await cleanUp(ports.log, 'backups: deleting staged rows failed; a later check deletes them', () =>
      commit(database, [dropRun(database, run)]),
    )
  }
  await restoreJobs(ports, source, found.paths)
  await hooks.applyJobConfigs(ports)
  await ports.flow.runDue()
  ports.log.info('backups: deleted objects restored from a backup', {
    objects: found.objects.length,
    ids: ids.join(','),
  })
  return { objects: found.objects, dropped: gathering.dropped, rows: gathering.rows }
}

function entriesOf(context: Context, objects: BackupPart['objects']): Write[] {
  return objects.map(({ id, type, name }) =>
    audited(context, { action: 'restore', objectType: type, objectId: id, after: { name } }),
  )
}

/** Which objects come back, with the paths that they get. */
async function collect(ports: Ports, source: ArchiveSource, ids: readonly number[]) {
  const wanted = new Set(ids)
  const all: ObjectCells[] = []
  for await (const object of objectsOf(ports, source)) {
    if (idsOf(object.path).some((id) => wanted.has(id))) all.push(object)
    if (all.length > OBJECTS_MAX)
      throw new Refusal(
        'conflict',
        `A restore must name at most ${OBJECTS_MAX} objects. Restore the objects below one by one.`,
      )
  }
  const faults = ids.flatMap((id, index) =>
    all.some((object) => object.id === id)
      ? []
      : { pointer: `/objects/${index}`, message: 'must be the id of an object in the backup' },
  )
  if (faults.length > 0)
    throw new Refusal('invalid', 'Some of these objects are not in the backup; see errors.', faults)
  return placesOf(ports, all)
}

/** The parents of objects whose own parents are missing. @throws {Refusal} conflict */
async function placesOf({ database }: Ports, all: readonly ObjectCells[]) {
  const here = new Map(
    (
      await findPresent(
        database,
        all.flatMap(({ id, parentId }) => [id, parentId ?? id]),
      )
    ).map(({ id, path }) => [id, path]),
  )
  const objects = all.filter(({ id }) => !here.has(id)).sort((a, b) => a.path.length - b.path.length)
  const paths = new Map<number, string>()
  const parents: number[] = []
  for (const { id, parentId } of objects) {
    const above = paths.get(parentId ?? 0) ?? here.get(parentId ?? 0)
    if (above === undefined)
      throw new Refusal(
        'conflict',
        `The parent of object ${id} was deleted as well: restore object ${parentId} too.`,
      )
    if (!paths.has(parentId ?? 0)) parents.push(parentId ?? 0)
    paths.set(id, `${above}${id}/`)
  }
  return { objects: objects.map(({ id, type, name }) => ({ id, type, name })), paths, parents }
}

async function* objectsOf({ database }: Ports, source: ArchiveSource): AsyncGenerator<ObjectCells, void> {
  for await (const { heading, rows } of sectionsOf(await source.open())) {
    if (!('table' in heading) || heading.table !== 'objects') continue
    const place = (name: string) => heading.columns.indexOf(name)
    for await (const row of rows) {
      const cell = (name: string) => row[place(name)]
      if (cell('parent_id') === null && cell('created_at') !== (await rootCreatedAt(database)))
        throw new Refusal(
          'conflict',
          'The backup is from another installation, where the ids belong to other objects. Restore the whole backup instead.',
        )
      yield {
        id: Number(cell('id')),
        type: String(cell('type')),
        name: String(cell('name')),
        parentId: cell('parent_id') === null ? null : Number(cell('parent_id')),
        path: String(cell('path')),
      }
    }
  }
}

/** Puts aside the rows that belong to what comes back. */
class StagedRows {
  readonly dropped: Dropped[] = []
  readonly rows = new Map<string, number>()
  readonly sections: { readonly table: Table; readonly columns: readonly string[] }[] = []
  readonly #ports: Ports
  readonly #source: ArchiveSource
  readonly #run: string
  readonly #paths: ReadonlyMap<number, string>
  /** The restored values of each referenced column. */
  readonly #coming = new Map<string, Set<unknown>>()

  constructor(ports: Ports, source: ArchiveSource, run: string, paths: ReadonlyMap<number, string>) {
    this.#ports = ports
    this.#source = source
    this.#run = run
    this.#paths = paths
  }

  async gather(): Promise<void> {
    for await (const { heading, rows } of sectionsOf(await this.#source.open())) {
      const table = 'table' in heading ? tableCalled(heading.table) : undefined
      if (!table || !('table' in heading)) continue
      if (table.name !== 'objects' && table.references.length === 0) continue
      for await (const part of inParts(rows)) await this.#take(table, heading.columns, part)
    }
  }

  async #take(
    table: Table,
    columns: readonly string[],
    part: readonly (readonly unknown[])[],
  ): Promise<void> {
    const own = part.filter((row) => this.#belongs(table, columns, row))
    const whole = await this.#withoutLost(table, columns, own)
    if (whole.length === 0) return
    if (!this.sections.some(({ table: { name } }) => name === table.name))
      this.sections.push({ table, columns })
    for (const row of whole) this.#note(table, columns, row)
    const { database, secrets, clock } = this.#ports
    const anew = forHere(secrets, this.#source.keys)
    const rows = await Promise.all(
      whole.map(async (row) => this.#placed(table, columns, await reseal(table, columns, row, anew))),
    )
    const from = this.rows.get(table.name) ?? 0
    await commit(database, [stageRows(database, this.#run, { table, from, rows }, clock.now())])
    this.rows.set(table.name, from + rows.length)
  }

  /** A row comes back with any of the rows that it refers to. */
  #belongs(table: Table, columns: readonly string[], row: readonly unknown[]): boolean {
    if (table.name === 'objects') return this.#paths.has(Number(row[columns.indexOf('id')]))
    return table.references.some(
      (reference) => this.#coming.get(keyOf(reference))?.has(row[columns.indexOf(reference.column)]) === true,
    )
  }

  /** Leaves out rows whose references are neither here nor in the archive, and alarms that were closed for good. */
  async #withoutLost(
    table: Table,
    columns: readonly string[],
    rows: readonly (readonly unknown[])[],
  ): Promise<readonly (readonly unknown[])[]> {
    if (table.name === 'objects') return rows
    let left = rows
    for (const reference of [...table.references, ...(NAMED[table.name] ?? [])]) {
      const place = columns.indexOf(reference.column)
      const coming = this.#coming.get(keyOf(reference))
      const asked = left.map((row) => row[place]).filter((one) => one !== null && coming?.has(one) !== true)
      const here = await findValues(this.#ports.database, reference, [...new Set(asked)])
      const isThere = (one: unknown) => one === null || coming?.has(one) === true || here.has(one)
      const detail = `its ${reference.column} refers to a deleted row of ${reference.table}`
      left = this.#keep(table, columns, left, (row) => (isThere(row[place]) ? null : detail))
    }
    if (table.name !== 'alarms') return left
    const end = columns.indexOf('end_at')
    return this.#keep(table, columns, left, (row) =>
      row[end] === null ? 'the alarm was open; it was closed when its object was deleted' : null,
    )
  }

  #keep(
    table: Table,
    columns: readonly string[],
    rows: readonly (readonly unknown[])[],
    faultOf: (row: readonly unknown[]) => string | null,
  ): readonly (readonly unknown[])[] {
    return rows.filter((row) => {
      const detail = faultOf(row)
      if (detail === null) return true
      const about = table.references.find((one) => one.table !== 'users')?.column ?? ''
      this.dropped.push({ table: table.name, objectId: Number(row[columns.indexOf(about)]), detail })
      return false
    })
  }

  #note(table: Table, columns: readonly string[], row: readonly unknown[]): void {
    for (const [index, column] of columns.entries()) {
      const key = `${table.name}.${column}`
      if (!REFERRED.has(key)) continue
      const coming = this.#coming.get(key) ?? new Set()
      this.#coming.set(key, coming.add(row[index]))
    }
  }

  #placed(table: Table, columns: readonly string[], row: readonly unknown[]): readonly unknown[] {
    if (table.name !== 'objects') return row
    return row.with(columns.indexOf('path'), this.#paths.get(Number(row[columns.indexOf('id')])))
  }
}

/** References without a foreign key. */
const NAMED: Readonly<Record<string, readonly Reference[]>> = {
  alarm_links: [{ column: 'recipient_id', table: 'alarm_recipients', to: 'id' }],
}

function keyOf({ table, to }: Reference): string {
  return `${table}.${to}`
}

/** Columns that others refer to. */
const REFERRED = new Set(['objects.id', 'jobs.id', 'alarms.id', 'slc_periods.id', 'status_pages.object_id'])

async function restoreJobs(
  { database, jobActors }: Ports,
  source: ArchiveSource,
  paths: ReadonlyMap<number, string>,
): Promise<void> {
  for await (const { heading, rows } of sectionsOf(await source.open())) {
    if (!('job' in heading) || !paths.has(heading.job)) continue
    const heardSeq = await heardOf(database, heading.job)
    const madeAt = source.contents.header.createdAt
    await jobActors.restore(heading.job, { lines: linesAgain(rows), madeAt, heardSeq })
  }
}
