import type { Column, Row } from '../../../domain/table.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Generation } from '../../../ports/tables.ts'
import { rowOf } from '../archive/lines.ts'
import { noArchive } from '../archive/members.ts'
import type { RestoreHooks, TableRows } from '../hooks.ts'

/** Longer than any restore takes. */
const RESTORE_MAX_MS = 12 * 60 * 60_000
const ROWS_AT_ONCE = 500

/** An imported table of an archive. */
type DataTable = {
  readonly id: number
  readonly dataSourceId: number
  readonly generationId: number
  readonly columns: readonly Column[]
  readonly rows: number
}

/** The imported table that a row of `data_tables` describes. */
export function dataTableOf(row: Readonly<Record<string, unknown>>): DataTable {
  return {
    id: Number(row['id']),
    dataSourceId: Number(row['data_source_id']),
    generationId: Number(row['generation_id']),
    columns: JSON.parse(String(row['columns'])) as readonly Column[],
    rows: Number(row['rows']),
  }
}

/** Counts the rows of imported tables in an archive. */
export class DataRowCounts {
  readonly #tables = new Map<
    number,
    { readonly width: number; readonly rows: number; found: number | null }
  >()

  /** A row of `data_tables`. @throws {Refusal} bad_request */
  announce(columns: readonly string[], cells: readonly unknown[]): void {
    try {
      const { id, columns: own, rows } = dataTableOf(rowOf(columns, cells))
      this.#tables.set(id, { width: own.length, rows, found: null })
    } catch {
      throw noArchive()
    }
  }

  /** The heading of the rows of a table. @throws {Refusal} bad_request */
  begin(id: number): void {
    const table = this.#tables.get(id)
    if (!table || table.found !== null) throw noArchive()
    table.found = 0
  }

  /** @throws {Refusal} bad_request */
  count(id: number, row: readonly unknown[]): void {
    const table = this.#tables.get(id)
    if (table?.width !== row.length || table.found === null) throw noArchive()
    table.found += 1
  }

  /** @throws {Refusal} bad_request unless all rows of all tables were there */
  end(): void {
    for (const { rows, found } of this.#tables.values()) if (found !== rows) throw noArchive()
  }
}

/** Fills new generations with the rows of the imported tables of an archive. No table has one until the commit of the restore. */
export class RestoredTables {
  readonly #ports: Ports
  readonly #hooks: RestoreHooks
  readonly #tables = new Map<number, Omit<TableRows, 'rows'>>()

  constructor(ports: Ports, hooks: RestoreHooks) {
    this.#ports = ports
    this.#hooks = hooks
  }

  /** A row of `data_tables` with the new generation of its table. */
  async place(columns: readonly string[], cells: readonly unknown[]): Promise<readonly unknown[]> {
    const { id, dataSourceId, columns: own } = dataTableOf(rowOf(columns, cells))
    const to = await this.#hooks.beginGeneration(this.#ports, dataSourceId, RESTORE_MAX_MS)
    this.#tables.set(id, { to, columns: own })
    return cells.with(columns.indexOf('generation_id'), to.tableId)
  }

  async fill(id: number, rows: AsyncIterable<readonly unknown[], void>): Promise<void> {
    const table = this.#tables.get(id)
    if (!table) throw noArchive()
    await this.#hooks.fillGeneration(
      this.#ports,
      { ...table, rows: inBatches(rows) },
      new AbortController().signal,
    )
  }

  /** Lets the sweep delete what no table got. */
  async abandon(): Promise<void> {
    const generations: Generation[] = [...this.#tables.values()].map(({ to }) => to)
    for (const generation of generations) await this.#hooks.abandonGeneration(this.#ports, generation)
  }
}

async function* inBatches(rows: AsyncIterable<readonly unknown[], void>): TableRows['rows'] {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row as Row)
    if (batch.length < ROWS_AT_ONCE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
