import type { InArgs } from '@libsql/client'

import type { Cell, Row, Statement, ValuesDatabase } from '../../src/ports/values-database.ts'
import type { Libsql } from './libsql.ts'

/** Callbacks for writes to the disk, and for a failed disk. */
type Watch = {
  /** So many bytes are about to be stored. */
  readonly onCommit?: (bytes: number) => void
  /** It can no longer be trusted. */
  readonly onBroken: (cause: unknown) => void
  /** It has no room. */
  readonly onFull?: () => void
}

/** The engine's database in a libSQL file. */
export function valuesInLibsql(
  { client, read }: Pick<Libsql, 'client' | 'read'>,
  { onCommit, onBroken, onFull }: Watch,
): ValuesDatabase {
  return {
    async read(statement) {
      const { sql, args } = argsOf(statement)
      return (await read(sql, args)).map((row) => rowOf(row))
    },
    async commit(statements) {
      if (statements.length === 0) return
      onCommit?.(bytesOf(statements))
      try {
        const [first] = statements
        if (statements.length === 1 && first) await client.execute(argsOf(first))
        else await client.batch(statements.map(argsOf), 'write')
      } catch (error) {
        // After a failed write or flush the content of the disk is unknown: only a restart reads it again.
        if (/SQLITE_(IOERR|CORRUPT|NOTADB)/.test(codeOf(error))) onBroken(error)
        if (codeOf((error as Error).cause) === 'SQLITE_FULL') onFull?.()
        throw error
      }
    },
  }
}

/** How many bytes a libSQL file has free inside itself. */
export async function freeBytesInside(client: Libsql['client']): Promise<number> {
  const [pages, size] = [
    await client.execute('pragma freelist_count'),
    await client.execute('pragma page_size'),
  ]
  return Number(pages.rows[0]?.[0]) * Number(size.rows[0]?.[0])
}

/** Of numbers there are too few to count. */
function bytesOf(statements: readonly Statement[]): number {
  let bytes = 0
  for (const { cells } of statements) {
    for (const cell of cells) if (typeof cell === 'string' || cell instanceof Uint8Array) bytes += cell.length
  }
  return bytes
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code)
}

function argsOf({ sql, cells }: Statement): { sql: string; args: InArgs } {
  return { sql, args: [...cells] as InArgs }
}

function rowOf(row: Readonly<Record<string, unknown>>): Row {
  const cells: Record<string, Cell> = {}
  for (const name of Object.keys(row)) {
    const cell = row[name]
    cells[name] = cell instanceof ArrayBuffer ? new Uint8Array(cell) : (plain(cell) as Cell)
  }
  return cells
}

/** A Buffer's own parts are Buffers as well, and much slower to make than others. */
function plain(cell: unknown): unknown {
  return cell instanceof Uint8Array ? new Uint8Array(cell.buffer, cell.byteOffset, cell.length) : cell
}
