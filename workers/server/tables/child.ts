import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

import { ImportFailure } from '../../../src/data/imports/failure.ts'
import { inspectFile } from '../../../src/data/imports/file.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import type { ByteSource } from '../../../src/lib/zip/source.ts'
import { edit } from './child-edit.ts'
import { load } from './child-load.ts'
import { reshape } from './child-reshape.ts'
import { prepareInstance, Query, QueryFailure } from './child-query.ts'
import type { FileChange, FileTask, FromChild, QueryTask, TaskFailure, ToChild } from './messages.ts'
import { FILE_MISSING } from '../../../src/ports/tables.ts'

/** Rows that may be on their way before the parent asks for more, in batches. */
const WINDOW = 4
const CHUNK_BYTES = 256 * 1024
/** The bytes between two messages about the progress of a file. */
const PROGRESS_BYTES = 16 * CHUNK_BYTES
const PR_SET_PDEATHSIG = 1
const SIGKILL = 9

let query: Query | null = null
let credit = WINDOW
let wake: (() => void) | null = null

/** Runs the tasks that the parent sends, until it ends this process. */
export function runTasks(): void {
  process.on('message', (message: ToChild) => {
    if (message.kind === 'interrupt') query?.interrupt()
    else if (message.kind === 'more') {
      credit += 1
      wake?.()
    } else runTask(message).catch(report)
  })
  process.on('disconnect', () => process.exit(0))
  send({ kind: 'ready' })
}

async function runTask(task: QueryTask | FileTask | FileChange): Promise<void> {
  if (task.kind === 'edit') return send({ kind: 'done', edited: await edit(task) })
  if (task.kind === 'reshape') return send({ kind: 'done', reshaped: await reshape(task) })
  if (task.kind !== 'query') return send(await runFile(task))
  credit = WINDOW
  const running = (query = new Query(task))
  try {
    await running.run(send, more)
    // The caller does not wait until the instance is closed.
    send({ kind: 'done' })
  } finally {
    query = null
    running.close()
  }
  prepareInstance(task.threads)
}

function report(error: unknown): void {
  send({ kind: 'failed', ...failureOf(error) })
}

async function runFile(task: FileTask): Promise<FromChild> {
  const { path, sizeBytes } = task.file
  const handle = await open(path, 'r').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new QueryFailure({ code: 'not_found', message: FILE_MISSING })
  })
  try {
    const source = sourceOf(handle, sizeBytes)
    const file = { chunks: chunksOf(source), source: () => Promise.resolve(source) }
    if (task.kind === 'load') return { kind: 'done', counts: await load(file, task) }
    return { kind: 'done', contents: await inspectFile(file, task.format, task.values) }
  } finally {
    await handle.close()
  }
}

function sourceOf(file: FileHandle, sizeBytes: number): ByteSource {
  return {
    sizeBytes,
    async read(offsetBytes, spanBytes) {
      const bytes = new Uint8Array(spanBytes)
      for (let filled = 0; filled < spanBytes;) {
        const { bytesRead } = await file.read(bytes, filled, spanBytes - filled, offsetBytes + filled)
        if (bytesRead === 0) throw new Error('The file was cut off.')
        filled += bytesRead
      }
      return bytes
    },
  }
}

/** The bytes of a file. The parent gets a message about the number of bytes that were read. */
async function* chunksOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  const { sizeBytes } = source
  for (let at = 0; at < sizeBytes; at += CHUNK_BYTES) {
    const bytes = await source.read(at, Math.min(CHUNK_BYTES, sizeBytes - at))
    if (at % PROGRESS_BYTES === 0) send({ kind: 'read', bytes: at })
    yield bytes
  }
}

async function more(): Promise<void> {
  while (credit === 0) await new Promise<void>((resolve) => (wake = resolve))
  credit -= 1
}

function send(message: FromChild): void {
  process.send?.(message)
}

function failureOf(error: unknown): TaskFailure {
  if (error instanceof QueryFailure) return error.failure
  if (error instanceof ImportFailure)
    return { code: 'import_failed', message: error.message, faults: error.faults }
  if (error instanceof Refusal && error.code === 'import_failed')
    return { code: error.code, message: error.detail, errors: error.errors }
  return {
    code: 'internal',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }
}

/** The kernel ends this process when its parent ends, on Linux with glibc. A process that plans a statement reads no messages. */
export function endWithParent(prctl: (option: number, signal: number) => void): void {
  try {
    prctl(PR_SET_PDEATHSIG, SIGKILL)
  } catch {
    // On other systems `disconnect` ends the child after the planning.
  }
}
