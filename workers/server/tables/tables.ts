import { mkdir, readdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

import type { FileContents } from '../../../src/domain/import-plan.ts'
import type { Row } from '../../../src/domain/table.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import { Semaphore } from '../../../src/lib/semaphore.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { Plan, QueryLimits, RowStream } from '../../../src/ports/databases.ts'
import { FILE_MISSING } from '../../../src/ports/tables.ts'
import type {
  EditOrder,
  EditOutcome,
  Generation,
  LoadCounts,
  Progress,
  ReshapeOrder,
  ReshapeOutcome,
  TableQuery,
  Tables,
} from '../../../src/ports/tables.ts'
import type { BlobFiles } from '../blobs-directory.ts'
import { TableChild } from './child-process.ts'
import type { TaskBounds } from './child-process.ts'
import type { Explain, FileChange, FileOrder, FileTask, QueryTask, TaskResult } from './messages.ts'
import { RowQueue } from './row-queue.ts'
import { quoted } from './sql.ts'
import { removeWork } from './work-files.ts'

const QUERIES = Math.min(4, availableParallelism())
const QUERIES_WAITING = 32
const FILES_WAITING = 8
const IDLE_MS = 60_000
const QUERY_MEMORY_BYTES = 768 * 1024 * 1024
const FILE_MEMORY_BYTES = 1024 * 1024 * 1024
const FILE_TIMEOUT_MS = 60 * 60_000
const EDIT_TIMEOUT_MS = 60_000
/** The limits of a table that is read whole. */
const WHOLE: QueryLimits = {
  timeoutMs: FILE_TIMEOUT_MS,
  rowsMax: Number.POSITIVE_INFINITY,
  bytesMax: Number.POSITIVE_INFINITY,
}
/** A change does not end when its caller leaves. */
const NEVER = new AbortController().signal
const FILE = /^(?<tableId>\d+)-(?<key>[a-z0-9]{1,64})\.duckdb$/

export type TablesParts = {
  readonly directory: string
  readonly blobs: BlobFiles
  readonly clock: Clock
  readonly log: Log
}

export type OpenTables = Tables & { close(): void }

/** Tables in files of DuckDB, which child processes read and write, with `program` as theirs. Removes what a process left that was killed.
 * @throws {Error} with `code` when the directory cannot be used */
export async function openTables(parts: TablesParts, program: string): Promise<OpenTables> {
  await mkdir(parts.directory, { recursive: true, mode: 0o700 })
  for (const path of await readdir(parts.directory, { recursive: true }))
    if (/\.(?:tmp|wal|link)$/.test(path)) await rm(join(parts.directory, path), { force: true })
  return new DuckTables(parts, program)
}

class DuckTables implements OpenTables {
  readonly dialect = 'duckdb'
  readonly #parts: TablesParts
  readonly #program: string
  readonly #queries = new Semaphore(QUERIES, QUERIES_WAITING, Number.POSITIVE_INFINITY)
  readonly #files = new Semaphore(1, FILES_WAITING, Number.POSITIVE_INFINITY)
  readonly #children = new Set<TableChild>()
  /** Query children without a task, each with the timer that ends it. */
  readonly #idle = new Map<TableChild, NodeJS.Timeout>()

  constructor(parts: TablesParts, program: string) {
    this.#parts = parts
    this.#program = program
  }

  query(query: TableQuery, limits: QueryLimits, signal: AbortSignal): Promise<RowStream> {
    return this.#query(query, limits, signal)
  }

  async explain(...[query, explain, limits, signal]: Parameters<Tables['explain']>): Promise<Plan> {
    const { rows } = await this.#query(query, limits, signal, explain)
    const [[row] = []] = await Array.fromAsync(rows)
    return { format: 'json', text: String(row?.[1] ?? '') }
  }

  #query(query: TableQuery, limits: QueryLimits, signal: AbortSignal, explain?: Explain): Promise<RowStream> {
    const { promise, resolve, reject } = Promise.withResolvers<RowStream>()
    const { views, ...rest } = query
    const task: QueryTask = {
      ...rest,
      kind: 'query',
      views: views.map(({ of, ...view }) => ({ ...view, path: this.#pathOf(of) })),
      limits,
      threads: Math.max(1, Math.floor(availableParallelism() / 2)),
      ...(explain && { explain }),
    }
    // The place is kept until the child has ended. Then only a few batches wait for the reader.
    this.#queries.run(this.#parts.clock, () => this.#runQuery(task, limits, signal, resolve)).catch(reject)
    return promise
  }

  async #runQuery(
    task: QueryTask,
    { timeoutMs }: QueryLimits,
    signal: AbortSignal,
    begin: (stream: RowStream) => void,
  ): Promise<void> {
    const child = this.#takeIdle() ?? this.#start()
    const cancelled = new AbortController()
    const stream = new RowQueue(
      () => child.send({ kind: 'more' }),
      () => cancelled.abort(),
    )
    const bounds = {
      timeoutMs,
      memoryMaxBytes: QUERY_MEMORY_BYTES,
      signal: AbortSignal.any([signal, cancelled.signal]),
    }
    try {
      await child.run(task, bounds, (message) => {
        if (message.kind === 'columns') begin(stream.open(message.columns))
        else if (message.kind === 'rows') stream.push(JSON.parse(message.text) as readonly Row[])
      })
      stream.end()
    } catch (error) {
      if (!stream.fail(error)) throw error
    } finally {
      this.#giveBack(child)
    }
  }

  async read(...[of, columns, signal]: Parameters<Tables['read']>): Promise<ReadableStream<readonly Row[]>> {
    const names = columns.map(({ name }) => name)
    const statement = { text: `SELECT ${names.map(quoted).join(', ')} FROM t`, binds: [] }
    const query = { views: [{ name: 't', of, columns: names, where: null }], statement, timeZone: 'UTC' }
    return (await this.query(query, WHOLE, signal)).rows
  }

  async inspect(
    ...[blob, file, values, signal, progress]: Parameters<Tables['inspect']>
  ): Promise<FileContents> {
    const { contents } = await this.#runFile(
      blob,
      { kind: 'inspect', format: file, values },
      signal,
      progress,
    )
    if (!contents) throw new Error('The table process answered without contents')
    return contents
  }

  async load(...[order, signal, progress]: Parameters<Tables['load']>): Promise<LoadCounts> {
    const { to, blob, plan, indexes = [] } = order
    const path = this.#pathOf(to)
    await mkdir(join(this.#parts.directory, String(to.sourceId)), { recursive: true, mode: 0o700 })
    const { counts } = await this.#runFile(blob, { kind: 'load', plan, path, indexes }, signal, progress)
    if (!counts) throw new Error('The table process answered without counts')
    return counts
  }

  async edit({ from, to, changes, steps }: EditOrder): Promise<EditOutcome> {
    const paths = { from: this.#pathOf(from), to: this.#pathOf(to) }
    const { edited } = await this.#change({ kind: 'edit', ...paths, changes, steps }, EDIT_TIMEOUT_MS)
    if (!edited) throw new Error('The table process answered without an outcome')
    return edited
  }

  async reshape({ parts, to, ...order }: ReshapeOrder): Promise<ReshapeOutcome> {
    await mkdir(join(this.#parts.directory, String(to.sourceId)), { recursive: true, mode: 0o700 })
    const files = parts.map((part) => ({ ...part, path: this.#pathOf(part.of) }))
    const task = { kind: 'reshape', ...order, parts: files, to: this.#pathOf(to) } as const
    const { reshaped } = await this.#change(task, FILE_TIMEOUT_MS)
    if (!reshaped) throw new Error('The table process answered without an outcome')
    return reshaped
  }

  #change(task: FileChange, timeoutMs: number): Promise<TaskResult> {
    return this.#files.run(this.#parts.clock, async () => {
      const child = this.#takeIdle() ?? this.#start()
      try {
        return await runTask(child, task, { timeoutMs, signal: NEVER })
      } finally {
        this.#giveBack(child)
      }
    })
  }

  async #runFile(
    blob: string,
    order: FileOrder,
    signal: AbortSignal,
    progress: Progress | undefined,
  ): Promise<TaskResult> {
    const run = async () => {
      const stored = await this.#parts.blobs.get(blob)
      if (!stored) throw new Refusal('not_found', FILE_MISSING)
      const { sizeBytes, body } = stored
      await body.cancel()
      const task: FileTask = { ...order, file: { path: this.#parts.blobs.fileOf(blob), sizeBytes } }
      const child = this.#takeIdle() ?? this.#start()
      try {
        const bounds = { timeoutMs: FILE_TIMEOUT_MS, signal }
        const result = await runTask(child, task, bounds, (bytes) => progress?.(bytes / sizeBytes))
        progress?.(1)
        return result
      } catch (error) {
        if (order.kind === 'load') await removeWork(order.path)
        throw error
      } finally {
        this.#giveBack(child)
      }
    }
    // A file that is before this one may take minutes. The work that waits ends by its own signal.
    return this.#files.run(this.#parts.clock, run, { maxMs: FILE_TIMEOUT_MS, signal })
  }

  async drop(generations: readonly Generation[]): Promise<void> {
    for (const generation of generations) await rm(this.#pathOf(generation), { force: true })
  }

  async list(sourceId: number): Promise<readonly Generation[]> {
    const names = await readdir(join(this.#parts.directory, String(sourceId))).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    })
    return names.flatMap((name) => {
      const { tableId, key } = FILE.exec(name)?.groups ?? {}
      return tableId === undefined || key === undefined ? [] : [{ sourceId, tableId: Number(tableId), key }]
    })
  }

  close(): void {
    for (const timer of this.#idle.values()) clearTimeout(timer)
    for (const child of this.#children) child.end()
  }

  #pathOf({ sourceId, tableId, key }: Generation): string {
    const name = `${tableId}-${key}.duckdb`
    if (!FILE.test(name)) throw new RangeError('Not a generation')
    return join(this.#parts.directory, String(sourceId), name)
  }

  #start(): TableChild {
    const child = new TableChild(this.#program, this.#parts.log)
    this.#children.add(child)
    return child
  }

  #takeIdle(): TableChild | null {
    for (const [child, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(child)
      if (child.isAlive) return child
      this.#children.delete(child)
    }
    return null
  }

  #giveBack(child: TableChild): void {
    const end = () => {
      child.end()
      this.#idle.delete(child)
      this.#children.delete(child)
    }
    if (!child.isAlive) end()
    else this.#idle.set(child, setTimeout(end, IDLE_MS))
  }
}

/** Runs a task that reads or changes files. */
async function runTask(
  child: TableChild,
  task: FileTask | FileChange,
  bounds: Pick<TaskBounds, 'timeoutMs' | 'signal'>,
  read: (bytes: number) => void = () => undefined,
): Promise<TaskResult> {
  let done: TaskResult | null = null
  await child.run(task, { ...bounds, memoryMaxBytes: FILE_MEMORY_BYTES }, (message) => {
    if (message.kind === 'done') done = message
    else if (message.kind === 'read') read(message.bytes)
  })
  if (done === null) throw new Error('The table process ended without an answer')
  return done
}
