import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import type { Subscribers } from '../../src/monitoring/events/values.ts'
import { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { Blobs, StoredBlob } from '../../src/ports/blobs.ts'
import type { Transition } from '../../src/domain/transition.ts'
import type { Row, Statement, ValuesDatabase } from '../../src/ports/values-database.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { openBlobsDirectory } from '../../workers/server/blobs-directory.ts'
import { openLibsql } from '../../workers/server/libsql.ts'
import type { Libsql } from '../../workers/server/libsql.ts'
import { valuesInLibsql } from '../../workers/server/values.ts'
import { BEGIN_AT, SMALL_BLOB_BYTES } from './rules.ts'

/** A folder for the databases of one test file. */
export async function openStages(): Promise<{ open: () => Promise<Stage>; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(FAST_DIR, 'tidemark-engine-'))
  const stages: Stage[] = []
  return {
    async open() {
      const stage = await Stage.open(join(folder, `${stages.length}`))
      stages.push(stage)
      return stage
    },
    async close() {
      for (const stage of stages) await stage.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A real values database whose commits can be made to fail: before anything of them is stored. */
export class FaultyValues implements ValuesDatabase {
  readonly #values: ValuesDatabase
  /** How many commits have begun. */
  commits = 0
  /** The number of the commit that fails, counted from 1; null for none. */
  failAt: number | null = null
  /** While true, every commit fails. */
  isAway = false
  /** Called while one is under way. */
  onCommit: (() => Promise<unknown>) | null = null

  constructor(values: ValuesDatabase) {
    this.#values = values
  }

  read(statement: Statement): Promise<readonly Row[]> {
    return this.#values.read(statement)
  }

  async commit(statements: readonly Statement[]): Promise<void> {
    this.commits += 1
    if (this.isAway || this.commits === this.failAt) throw new Error('The disk is away.')
    await this.onCommit?.()
    await this.#values.commit(statements)
  }
}

/** Real blobs that can be away. */
export class FaultyBlobs implements Blobs {
  readonly #blobs: Blobs
  isAway = false

  constructor(blobs: Blobs) {
    this.#blobs = blobs
  }

  put(key: string, body: Uint8Array | ReadableStream<Uint8Array>): Promise<void> {
    return this.#unlessAway(() => this.#blobs.put(key, body))
  }

  get(key: string): Promise<StoredBlob | null> {
    return this.#unlessAway(() => this.#blobs.get(key))
  }

  delete(key: string): Promise<void> {
    return this.#unlessAway(() => this.#blobs.delete(key))
  }

  list(prefix: string): Promise<string[]> {
    return this.#unlessAway(() => this.#blobs.list(prefix))
  }

  #unlessAway<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.isAway ? Promise.reject(new Error('The blobs are away.')) : run()
  }
}

/** The place where one engine lives: a real database in a file, a clock and turns moved by hand. */
export class Stage {
  now = BEGIN_AT
  /** The monotonic clock; null where it moves as `now` does, so that nobody knows by how much `now` was set back. */
  uptimeMs: number | null = null
  /** How often the engine said that it wants to be woken earlier. */
  armed = 0
  /** The transitions that the engine reported, in order; a reopened engine may report them again. */
  readonly told: Transition[] = []
  readonly errors: string[] = []
  /** While true, the listener is away. */
  isListenerAway = false
  /** While true, turns end only by `endTurn`. */
  byHand = false
  blobBytes = SMALL_BLOB_BYTES
  freeBytes = Number.POSITIVE_INFINITY
  /** While true, it is not known when jobs were in maintenance. */
  isMaintenanceAway = false
  /** When the jobs were in maintenance. */
  maintenance: readonly { readonly beginAt: number; readonly endAt: number }[] = []

  /** Those who are told what jobs receive; nobody unless a test says so. */
  subscribers: Subscribers = NOBODY

  /** Its own, and kept over a crash: a file that was put is there. */
  readonly blobs: FaultyBlobs

  #path: string
  #libsql: Libsql
  #values: FaultyValues
  #engine: JobEngine | null = null
  #turns: (() => void)[] = []
  #copies = 0

  private constructor(path: string, libsql: Libsql, blobs: Blobs) {
    this.blobs = new FaultyBlobs(blobs)
    this.#path = path
    this.#libsql = libsql
    this.#values = faulty(libsql)
  }

  static async open(path: string): Promise<Stage> {
    const stage = new Stage(
      path,
      await openLibsql(`file:${path}.db`),
      await openBlobsDirectory(
        `${path}-blobs`,
        jsonLog((line) => process.stderr.write(`${line}\n`)),
      ),
    )
    await stage.openEngine()
    return stage
  }

  get engine(): JobEngine {
    if (!this.#engine) throw new Error('The engine is not open.')
    return this.#engine
  }

  get values(): FaultyValues {
    return this.#values
  }

  /** Opens an engine over the database as it is now. */
  async openEngine(): Promise<JobEngine> {
    this.#engine = await JobEngine.open({
      values: this.#values,
      blobs: this.blobs,
      blobBytes: this.blobBytes,
      clock: { now: () => this.now, monotonic: () => this.uptimeMs ?? this.now },
      log: { info() {}, warn() {}, error: (message) => void this.errors.push(message) },
      turn: () => (this.byHand ? new Promise((resolve) => this.#turns.push(resolve)) : Promise.resolve()),
      follow: (transitions) => this.#follow(transitions),
      freeBytes: () => this.freeBytes,
      maintenanceOf: () =>
        this.isMaintenanceAway
          ? Promise.reject(new Error('The database is away.'))
          : Promise.resolve(this.maintenance),
      subscribers: this.subscribers,
      armed: () => void (this.armed += 1),
    })
    return this.#engine
  }

  /** Ends the turns that the engine waits for. */
  endTurn(): void {
    const turns = this.#turns
    this.#turns = []
    for (const end of turns) end()
  }

  /** Ends one turn after the other, and looks before each. */
  async endTurnsUntil(done: Promise<unknown>, look: () => Promise<void> = async () => {}): Promise<void> {
    const isDone = done.then(() => true)
    do {
      await look()
      this.endTurn()
    } while (!(await Promise.race([isDone, setTimeout(1, false)])))
  }

  /** The process dies here: what its files hold is taken elsewhere and opened by a new engine. */
  async crash(): Promise<JobEngine> {
    this.#copies += 1
    const copy = `${this.#path}-${this.#copies}`
    await copyFile(`${this.#path}.db`, `${copy}.db`)
    await copyFile(`${this.#path}.db-wal`, `${copy}.db-wal`).catch(() => undefined)
    await this.#libsql.close()
    this.#path = copy
    this.#libsql = await openLibsql(`file:${copy}.db`)
    this.#values = faulty(this.#libsql)
    return this.openEngine()
  }

  async count(table: string): Promise<number> {
    const [row] = await this.#values.read({ sql: `select count(*) as total from ${table}`, cells: [] })
    return Number(row?.['total'])
  }

  async close(): Promise<void> {
    await this.#libsql.close()
  }

  #follow(transitions: readonly Transition[]): Promise<void> {
    if (this.isListenerAway) return Promise.reject(new Error('The listener is away.'))
    this.told.push(...transitions)
    return Promise.resolve()
  }
}

const NOBODY: Subscribers = { areThere: false, watches: () => false, tell: () => Promise.resolve() }

function faulty(libsql: Libsql): FaultyValues {
  return new FaultyValues(
    valuesInLibsql(libsql, {
      onBroken(cause) {
        throw cause
      },
    }),
  )
}
