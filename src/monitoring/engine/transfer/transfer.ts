import { textLines } from '../../../lib/chunks.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import type { Mutex } from '../../../lib/mutex.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { ByteReader } from '../../../timeseries/bytes.ts'
import { isInBlob, withoutBlob } from '../../../timeseries/segment-header.ts'
import type { Copied } from '../../../ports/job-actors.ts'
import type { Transition } from '../../../domain/transition.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState, Event } from '../../jobs/actor.ts'
import type { Blocks } from '../blocks/blocks.ts'
import type { Flush } from '../flush/flush.ts'
import type { Head } from '../head/head.ts'
import { Job } from '../head/job.ts'
import type { Lifecycle } from '../ingest/lifecycle.ts'
import type { Wal } from '../wal/wal.ts'
import { forgetJob, readActor, writeActors } from '../store.ts'
import { readJobRows } from '../store/copies.ts'
import type { CopiedRow } from '../store/copies.ts'
import { writeBlocks, writeExpired } from '../store/rollups.ts'
import { writeSegments } from '../store/segments.ts'
import { bodyOfBlob } from '../blocks/segment-body.ts'

/** After so long without a read the reader has left, and the layout lock is released. */
const PATIENCE_MS = 60_000
const ROWS_PER_COMMIT = 100
/** The longest line that `archive` writes. */
const LINE_MAX_LENGTH = 4 * 1024 * 1024

type ArchiveSource = {
  readonly values: ValuesDatabase
  readonly blobs: Blobs
  /** Held while rows are read, so that neither flush nor retention changes them. */
  readonly layoutLock: Mutex
  /** The checkpoint; null once the job was forgotten. */
  readonly checkpoint: () => Promise<ActorState | null>
}

type TransferParts = {
  readonly head: Head
  readonly wal: Wal
  readonly blocks: Blocks
  readonly flush: Flush
  readonly lifecycle: Lifecycle
}

/** Copies all data of a job out of the engine, and into it. */
export class Transfer {
  readonly #parts: TransferParts

  constructor(parts: TransferParts) {
    this.#parts = parts
  }

  /** @throws {Refusal} not_found, unavailable */
  async archive(jobId: number, notBeforeAt: number): Promise<ReadableStream<Uint8Array>> {
    const { head, blocks, flush } = this.#parts
    const { values, blobs, layoutLock } = blocks
    const job = head.find(jobId)
    // A flush that is joined may have begun earlier, and the job may have been created after that.
    for (let tried = 0; flush.flushedAt <= notBeforeAt || !(await readActor(values, jobId)); tried++) {
      if (!job || !head.has(job)) throw noSuch('webhook job')
      if (tried > 2)
        throw new Refusal('unavailable', 'The value histories cannot be copied now. Try again later.')
      await flush.run()
    }
    if (!job) throw noSuch('webhook job')
    const checkpoint = async () => (head.has(job) ? readActor(values, jobId) : null)
    return archiveLines({ values, blobs, layoutLock, checkpoint }, jobId)
  }

  /** @throws {Refusal} bad_request */
  async restore(jobId: number, copied: Copied): Promise<void> {
    const { wal, blocks, lifecycle } = this.#parts
    const { values, lock } = blocks
    await lifecycle.forget(jobId)
    await lock.run(() => values.commit(forgetJob(jobId)))
    for await (const part of restoreLines(copied.lines, jobId)) {
      if ('statements' in part) await lock.run(() => values.commit(part.statements))
      else await lock.run(() => this.#begin(part.state, copied))
    }
    await wal.outbox.deliver()
  }

  /** Continues a job from a copied checkpoint. The time since the copy does not count as silence. */
  async #begin(before: ActorState, { madeAt, heardSeq }: Copied): Promise<void> {
    const { head, wal, blocks } = this.#parts
    const now = blocks.host.clock.now()
    const gap: Event = { kind: 'ingest gap', fromAt: Math.min(madeAt, now), toAt: now }
    const { state, transitions } = step(before, gap, now)
    const walId = wal.lastId
    await blocks.values.commit(writeActors([{ jobId: state.jobId, walId, state }]))
    const job = new Job(state, walId)
    head.add(job)
    head.deadlines.enter(job)
    // The transition that was delivered after the copy of the other data.
    if (before.seq > heardSeq) wal.outbox.add([latestOf(before)])
    wal.outbox.add(transitions)
  }
}

/** The transition to a state, as far as the state has it. */
function latestOf(actor: ActorState): Transition {
  const { jobId, seq, sinceAt, nowAt, state, errorCode, message, silentSinceAt } = actor
  const rest = { reason: 'delivery', errorCode, message, silentSinceAt } as const
  return { objectId: jobId, seq, at: sinceAt, detectedAt: nowAt, from: state, to: state, ...rest }
}

/** All data of a job up to its last flush, as lines of JSON (`docs/architecture/formats/backup.md`).
 * @throws {Refusal} not_found */
async function archiveLines(source: ArchiveSource, jobId: number): Promise<ReadableStream<Uint8Array>> {
  const { layoutLock } = source
  const { promise: isDone, resolve: release } = Promise.withResolvers<null>()
  const begun = Promise.withResolvers<null>()
  const held = layoutLock.run(() => {
    begun.resolve(null)
    return isDone
  })
  await begun.promise
  let timer = setTimeout(release, PATIENCE_MS, null)
  const lines = linesOf(source, jobId)
  const end = async () => {
    clearTimeout(timer)
    release(null)
    await held
  }
  const encoder = new TextEncoder()
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      clearTimeout(timer)
      try {
        const next = await lines.next()
        if (next.done === true) {
          controller.close()
          controller.byobRequest?.respond(0)
          return await end()
        }
        controller.enqueue(encoder.encode(next.value))
        timer = setTimeout(release, PATIENCE_MS, null)
      } catch (error) {
        await end()
        throw error
      }
    },
    cancel: end,
  })
}

async function* linesOf(
  { values, blobs, checkpoint }: ArchiveSource,
  jobId: number,
): AsyncGenerator<string, void> {
  const state = await checkpoint()
  if (!state) throw noSuch('webhook job')
  yield line(['a', state])
  for await (const page of readJobRows(values, jobId)) {
    const lines: string[] = []
    for (const row of page) lines.push(line(await cellsOf(blobs, jobId, row)))
    if (lines.length > 0) yield lines.join('')
  }
  if (!(await checkpoint())) throw noSuch('webhook job')
}

/** A segment in a blob is copied with its bytes: the number of a blob is valid in this engine only. */
async function cellsOf(blobs: Blobs, jobId: number, row: CopiedRow): Promise<readonly unknown[]> {
  if (row.kind === 'expired') return ['e', row.series, row.endAt]
  if (row.kind === 'rollup') return ['r', ...row.key, row.body.toBase64()]
  const { key, head, body } = row
  const whole = isInBlob(head) ? await bodyOfBlob(blobs, jobId, new ByteReader(body).unsigned()) : body
  return ['s', ...key, withoutBlob(head).toBase64(), whole.toBase64()]
}

function line(cells: readonly unknown[]): string {
  return `${JSON.stringify(cells)}\n`
}

/** Statements that restore the lines of `archive`, some at a time, and last the checkpoint.
 * @throws {Refusal} bad_request for other lines */
async function* restoreLines(
  lines: ReadableStream<Uint8Array>,
  jobId: number,
): AsyncGenerator<{ readonly statements: readonly Statement[] } | { readonly state: ActorState }, void> {
  let state: ActorState | null = null
  let rows: (readonly unknown[])[] = []
  for await (const text of textLines(lines, LINE_MAX_LENGTH)) {
    const cells = JSON.parse(text) as readonly unknown[]
    if (cells[0] === 'a') state = { ...(cells[1] as ActorState), jobId }
    else rows.push(cells)
    if (rows.length < ROWS_PER_COMMIT) continue
    yield { statements: rows.flatMap((row) => statementsOf(jobId, row)) }
    rows = []
  }
  if (rows.length > 0) yield { statements: rows.flatMap((row) => statementsOf(jobId, row)) }
  if (!state) throw new Refusal('bad_request', 'A job in the backup has no checkpoint.')
  yield { state }
}

function statementsOf(jobId: number, [kind, ...cells]: readonly unknown[]): readonly Statement[] {
  const [series = 0, level = 0, at = 0, place = 0] = cells.map(Number)
  const bytes = (index: number) => Uint8Array.fromBase64(String(cells[index]))
  switch (kind) {
    case 's':
      return writeSegments([{ jobId, series, level, from: at, place, head: bytes(4), body: bytes(5) }])
    case 'r':
      return writeBlocks([{ jobId, series, level: level === 1 ? 1 : 2, block: at, body: bytes(3) }])
    case 'e':
      return [writeExpired({ jobId, series }, level)]
    default:
      throw new Refusal('bad_request', 'A job in the backup has a row of an unknown kind.')
  }
}
